// A chart of the page as an SVG or PNG file: the drawing as it stands here, in the colours of the reader's theme, with its
// title above it. The file is made here and loads nothing.
(function () {
  "use strict";
  var EDGE = 12, LINE = 17;  // in pixels of the drawing
  var PIXELS = 3;  // of the PNG, for one of the drawing
  var FONT = "Liberation Sans, Arial, Helvetica, sans-serif";
  var SPACE = "http://www.w3.org/2000/svg";

  // Variables of the style sheet become plain colours, since a file knows no style sheet.
  function coloured(copy, original) {
    ["fill", "stroke", "stop-color"].forEach(function (name) {
      if ((copy.getAttribute(name) || "").indexOf("var(") < 0) return;
      copy.setAttribute(name, getComputedStyle(original).getPropertyValue(name));
    });
    Array.from(copy.children).forEach(function (child, place) { coloured(child, original.children[place]); });
  }

  // A variable's own text may be both themes' colours.
  function colour(variable, where) {
    where.style.color = "var(" + variable + ")";
    var found = getComputedStyle(where).color;
    where.removeAttribute("style");
    return found;
  }

  function element(name, attributes, text) {
    var found = document.createElementNS(SPACE, name);
    Object.keys(attributes).forEach(function (each) { found.setAttribute(each, attributes[each]); });
    if (text !== undefined) found.textContent = text;
    return found;
  }

  function wrapped(text, letters) {
    return text.split(" ").reduce(function (lines, word) {
      var last = lines[lines.length - 1];
      if (last && last.length + word.length < letters) lines[lines.length - 1] = last + " " + word;
      else lines.push(word);
      return lines;
    }, []);
  }

  function standing(figure) {
    var original = Array.from(figure.querySelectorAll("svg")).find(function (each) { return each.getClientRects().length; });
    var box = original.viewBox.baseVal;
    var width = Math.max(box.width, 320) + 2 * EDGE;
    var lines = wrapped(figure.querySelector("figcaption").textContent, width / 8).map(function (line) { return [line, "--ink", "bold"]; });
    wrapped(document.title, width / 6.5).forEach(function (line) { lines.push([line, "--soft", "normal"]); });
    var top = EDGE + (lines.length + 0.5) * LINE;
    var size = { width: width, height: top + box.height + EDGE };
    var found = element("svg", Object.assign({ xmlns: SPACE, viewBox: "0 0 " + size.width + " " + size.height, "font-family": FONT }, size));
    found.append(element("rect", Object.assign({ fill: colour("--card", original) }, size)));
    lines.forEach(function (line, place) {
      found.append(element("text", {
        x: EDGE, y: EDGE + (place + 0.7) * LINE, "font-size": 12.5, "font-weight": line[2], fill: colour(line[1], original)
      }, line[0]));
    });
    var drawing = original.cloneNode(true);
    coloured(drawing, original);
    ["class", "role", "aria-label", "aria-describedby"].forEach(function (name) { drawing.removeAttribute(name); });
    Object.entries({ x: EDGE, y: top, width: box.width, height: box.height }).forEach(function (each) {
      drawing.setAttribute(each[0], each[1]);
    });
    found.append(drawing);
    return { text: new XMLSerializer().serializeToString(found), width: size.width, height: size.height };
  }

  function png(drawing) {
    return new Promise(function (resolve, reject) {
      var image = new Image(), canvas = document.createElement("canvas");
      image.onerror = function () { reject(new Error("the browser draws no such picture")); };
      image.onload = function () {
        canvas.width = PIXELS * drawing.width;
        canvas.height = PIXELS * drawing.height;
        canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
        canvas.toBlob(function (blob) {
          if (blob) resolve(blob);
          else reject(new Error("the browser makes no PNG of this size"));
        }, "image/png");
      };
      image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawing.text);
    });
  }

  function give(name, blob) {
    var link = document.createElement("a");
    link.href = URL.createObjectURL(blob);
    link.download = name;
    document.body.appendChild(link);
    link.click();
    link.remove();
    setTimeout(function () { URL.revokeObjectURL(link.href); }, 60000);
  }

  // The file's name: of the page and the chart; letters, digits and hyphens alone.
  function named(button) {
    return button.dataset.file.replace(/[^A-Za-z0-9]+/g, "-").slice(0, 120).replace(/^-|-$/g, "") + "." + button.dataset.save;
  }

  function save(button) {
    var figure = button.closest("figure"), outcome = figure.querySelector("[data-saved]"), drawing = standing(figure);
    var made = button.dataset.save === "png" ? png(drawing) : Promise.resolve(new Blob([drawing.text], { type: "image/svg+xml" }));
    outcome.textContent = "";
    return made.then(function (blob) { give(named(button), blob); }).catch(function (error) {
      outcome.textContent = " This file could not be made (" + (error && error.message || "no reason given") + ").";
    });
  }

  document.addEventListener("click", function (event) {
    var button = event.target instanceof Element && event.target.closest("button[data-save]");
    if (button) save(button);
  });
})();
