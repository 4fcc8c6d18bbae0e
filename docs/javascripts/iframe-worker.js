// Let the search run on pages that were opened from a folder, and find options such as `--deck`.
//
// The theme's search runs in a Worker, which browsers refuse to start on such pages.  FrameWorker runs the worker's script
// in a hidden frame instead.  The file's name shows the plugin `offline` of the theme that it need not load a script of
// the same purpose from another site.

const QUERY = 2; // the type of a message that searches

// A dash before a word means "without this word" to the search, and two are an error.
function withoutDashes(message) {
  return message.type === QUERY ? { ...message, data: message.data.replace(/(^|\s)-+/g, "$1") } : message;
}

class QueryWorker extends Worker {
  postMessage(message) {
    super.postMessage(withoutDashes(message));
  }
}

class FrameWorker extends EventTarget {
  constructor(url) {
    super();
    this.onmessage = null;
    this.frame = document.createElement("iframe");
    this.frame.hidden = true;
    this.frame.srcdoc = "<!doctype html>";
    const loaded = new Promise((resolve) => this.frame.addEventListener("load", resolve, { once: true }));
    this.ready = loaded.then(() => this.#start(url));
    document.body.append(this.frame);
  }

  postMessage(message) {
    const data = withoutDashes(message);
    const deliver = () => this.scope.dispatchEvent(new this.scope.MessageEvent("message", { data }));
    this.ready.then(deliver);
  }

  terminate() {
    this.frame.remove();
  }

  #start(url) {
    this.scope = this.frame.contentWindow;
    this.scope.postMessage = (data) => this.#receive(data);
    this.scope.importScripts = async (...urls) => {
      for (const each of urls) await this.#load(each);
    };
    return this.#load(url);
  }

  #receive(data) {
    const event = new MessageEvent("message", { data });
    this.dispatchEvent(event);
    this.onmessage?.(event);
  }

  #load(url) {
    return new Promise((resolve, reject) => {
      const script = this.scope.document.createElement("script");
      script.src = url;
      script.onload = resolve;
      script.onerror = reject;
      this.scope.document.head.append(script);
    });
  }
}

window.Worker = location.protocol === "file:" ? FrameWorker : QueryWorker;
