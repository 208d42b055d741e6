"""Machine code: how it is made and kept, and the law and chance in it. What runs it is in the rooms above."""
