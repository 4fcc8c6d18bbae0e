// @ts-check
/** A short, quiet tone when it is my turn; off until somebody switches it on. */

import { h, setAttribute, setText } from "./dom.js";
import { recall, remember } from "./preferences.js";

const SECONDS = 0.7;
const VOLUME = 0.06;
const HERTZ = 587;

export function createSound() {
  let isOn = recall("sound") === "on";
  /** @type {AudioContext | null} */
  let context = null;

  async function ring() {
    // Browsers let a page sound only after the first press on it, and what was started before never begins.
    if (!isOn || !navigator.userActivation.hasBeenActive) return;
    context ??= new AudioContext();
    await context.resume();
    const start = context.currentTime;
    const volume = context.createGain();
    volume.gain.setValueAtTime(VOLUME, start);
    volume.gain.exponentialRampToValueAtTime(VOLUME / 1000, start + SECONDS);
    const tone = context.createOscillator();
    tone.frequency.value = HERTZ;
    tone.connect(volume).connect(context.destination);
    tone.start(start);
    tone.stop(start + SECONDS);
  }

  /** Switches it on and off; what it sounds like is heard at once. */
  function button() {
    const made = h("button", { class: "btn ghost", type: "button", onclick: change });
    name();
    function name() {
      setText(made, `Sound at my turn: ${isOn ? "on" : "off"}`);
      setAttribute(made, "aria-pressed", String(isOn));
    }
    function change() {
      isOn = !isOn;
      remember("sound", isOn ? "on" : "off");
      name();
      ring();
    }
    return made;
  }

  return { ring, button };
}
