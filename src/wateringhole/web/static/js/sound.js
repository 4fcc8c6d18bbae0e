// @ts-check
/** A short, quiet tone when it is my turn; off by default. */

import { h, setAttribute, setText } from "./dom.js";
import { loadPreference, savePreference } from "./preferences.js";
import { t } from "./text.js";

const SECONDS = 0.7;
const VOLUME = 0.06;
const HERTZ = 587;

export function createSound() {
  let isOn = loadPreference("sound") === "on";
  /** @type {AudioContext | null} */
  let context = null;

  async function play() {
    // Browsers allow sound only after the first user input, and a tone started earlier never plays.
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

  /** Creates the button that turns the sound on and off, and plays it once when turned on. */
  function createButton() {
    const button = h("button", { class: "btn ghost", type: "button", onclick: toggle });
    updateLabel();
    function updateLabel() {
      setText(button, isOn ? t("sound.on") : t("sound.off"));
      setAttribute(button, "aria-pressed", String(isOn));
    }
    function toggle() {
      isOn = !isOn;
      savePreference("sound", isOn ? "on" : "off");
      updateLabel();
      play();
    }
    return button;
  }

  return { play, createButton };
}
