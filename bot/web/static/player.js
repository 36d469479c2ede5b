// Voice notes in the thread: one sounds at a time; the waveform is the progress bar.
const RATES = [1, 1.25, 1.5, 2, 0.75];
let sounding = null;

export const clock = s => Math.floor(s / 60) + ':' + String(Math.floor(s % 60)).padStart(2, '0');

export function bindPlayer(root, words) {
  const audio = root.querySelector('audio'), play = root.querySelector('[data-play]');
  const range = root.querySelector('input[type=range]'), speed = root.querySelector('[data-speed]');
  const now = root.querySelector('[data-now]'), bars = [...root.querySelectorAll('.wave rect')];
  const length = Number(root.dataset.ms) / 1000;
  const use = play.querySelector('use');

  const draw = () => {
    const t = audio.currentTime, part = t / length;
    bars.forEach((bar, n) => bar.classList.toggle('p', (n + .5) / bars.length < part));
    range.value = String(Math.round(t));
    range.setAttribute('aria-valuetext', clock(t) + ' / ' + clock(length));
    now.textContent = clock(t);
  };
  const face = () => {
    const on = !audio.paused;
    use.setAttribute('href', on ? '#i-pause' : '#i-play');
    play.setAttribute('aria-label', on ? words.pause : words.play);
  };
  play.addEventListener('click', () => {
    if (!audio.paused) { audio.pause(); return; }
    if (sounding && sounding !== audio) sounding.pause();
    sounding = audio;
    audio.play().catch(() => say(root, words.no_play));
  });
  range.addEventListener('input', () => { audio.currentTime = Math.min(Number(range.value), length - .05); draw(); });
  speed.addEventListener('click', () => {
    const rate = RATES[(RATES.indexOf(audio.playbackRate) + 1) % RATES.length];
    audio.playbackRate = rate;
    speed.textContent = rate + '×';
    speed.setAttribute('aria-label', words.speed.replace('{rate}', String(rate)));
  });
  for (const name of ['play', 'pause', 'ended']) audio.addEventListener(name, face);
  for (const name of ['timeupdate', 'seeked', 'ended']) audio.addEventListener(name, draw);
  audio.addEventListener('error', () => say(root, words.no_play));
  face();
  if (audio.currentTime) draw();
}

function say(root, text) {
  let line = root.parentElement.querySelector('.press-note');
  if (!line) { line = document.createElement('p'); line.className = 'press-note bad'; root.after(line); }
  line.textContent = text;
}
