"""The rule sheet, made from the rules: something to read aloud at the table, never written by hand beside them.

`whole` puts its sections together; each has its sentences in one of the other modules.
"""
