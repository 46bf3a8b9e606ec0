/* Browsers start no worker on a page opened from a file, and the site's search is one. There it runs in a hidden frame
   instead, which takes messages and answers as a worker would. */
(() => {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      this.ready = new Promise(done => this.frame.addEventListener("load", done, { once: true }));
      this.start(url);
      addEventListener("message", event => this.receive(event));
    }

    start(url) {
      const inside = this.frame.contentWindow.document;
      inside.open();
      inside.write("<!doctype html><body></body>");
      this.frame.contentWindow.postMessage = data => window.postMessage({ frameWorker: data }, "*");
      this.frame.contentWindow.importScripts = (...urls) =>
        urls.reduce((before, each) => before.then(() => this.load(each)), Promise.resolve());
      this.load(url);
      inside.close();
    }

    load(url) {
      const inside = this.frame.contentWindow.document;
      return new Promise(done => {
        const script = inside.createElement("script");
        script.src = url;
        script.onload = done;
        inside.body.append(script);
      });
    }

    receive(event) {
      if (!event.data || !("frameWorker" in event.data)) return;
      const answer = new MessageEvent("message", { data: event.data.frameWorker });
      this.dispatchEvent(answer);
      if (this.onmessage) this.onmessage(answer);
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  }

  window.IFrameWorker = FrameWorker;
  window.Worker = FrameWorker;
})();
