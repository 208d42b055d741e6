// The search of the site runs in a worker, and browsers start none for pages that are opened from the disk. There, a
// hidden frame does its work. Its name keeps mkdocs-material from fetching such a script from elsewhere.
if (location.protocol === "file:") {
  self.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.srcdoc = `<script src="${url}"></script>`;
      this.inside = new Promise((resolve) => {
        frame.addEventListener("load", () => {
          frame.contentWindow.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
          resolve(frame.contentWindow);
        });
      });
      document.body.append(frame);
    }

    async postMessage(data) {
      (await this.inside).dispatchEvent(new MessageEvent("message", { data }));
    }
  };
}
