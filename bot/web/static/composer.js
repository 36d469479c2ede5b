// Writing and sending. Nothing a person put in is lost before the server said it has it.
import { newKey } from './thread.js';

const DRAFT = 'earmark.draft', UNSENT = 'earmark.unsent';

export class Composer {
  constructor(thread, words, config) {
    Object.assign(this, { thread, words, config });
    this.form = document.getElementById('composer');
    this.field = document.getElementById('say');
    this.picker = document.getElementById('files');
    this.chips = document.getElementById('chips');
    this.trouble = document.getElementById('trouble');
    this.held = []; // {name, size, limit?, file?} or {text}
    this.field.value = this.field.value || stored(DRAFT, '');
    this.wire();
    for (const unsent of stored(UNSENT, [])) this.show({ ...unsent, held: unsent.pasted.map(text => ({ text })) }, words.not_sent);
  }

  wire() {
    this.form.addEventListener('submit', event => { event.preventDefault(); this.send(); });
    this.field.addEventListener('input', () => store(DRAFT, this.field.value));
    this.field.addEventListener('keydown', event => {
      // 229: some input methods report the Enter that ends a composition only by this code
      if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
      event.preventDefault();
      this.send();
    });
    this.field.addEventListener('paste', event => this.paste(event));
    this.picker.addEventListener('change', () => { this.add(this.picker.files); this.picker.value = ''; });
    this.drop(document.getElementById('drop'));
  }

  drop(sheet) {
    let depth = 0;
    const files = event => [...event.dataTransfer?.types ?? []].includes('Files');
    addEventListener('dragenter', event => { if (files(event)) { event.preventDefault(); depth++; sheet.hidden = false; } });
    addEventListener('dragover', event => { if (files(event)) event.preventDefault(); });
    addEventListener('dragleave', event => { if (files(event) && --depth <= 0) { depth = 0; sheet.hidden = true; } });
    addEventListener('drop', event => {
      if (!files(event)) return;
      event.preventDefault();
      depth = 0;
      sheet.hidden = true;
      this.add(event.dataTransfer.files);
      this.field.focus();
    });
  }

  paste(event) {
    const { files } = event.clipboardData;
    if (files.length) { event.preventDefault(); this.add(files); return; }
    const text = event.clipboardData.getData('text/plain');
    if ([...text.trim()].length < this.config.paste_from) return;
    event.preventDefault();
    this.hold({ text });
  }

  add(files) {
    for (const file of files) {
      const limit = this.limit(file);
      if (file.size > limit * 1024 * 1024) {
        this.complain(this.words.file_too_large.replace('{name}', file.name).replace('{limit}', limit));
      } else this.hold({ name: file.name, size: file.size, file });
    }
  }

  /** Megabytes for this kind of file; the server decides by the bytes. */
  limit(file) {
    if (/\.(pdf|epub|docx)$/i.test(file.name) || file.type === 'application/pdf') return this.config.pdf_mb;
    return file.type.startsWith('image/') ? this.config.image_mb : this.config.text_mb;
  }

  hold(item) {
    if (this.held.length >= this.config.max_files) { this.complain(this.words.too_many.replace('{n}', this.config.max_files)); return; }
    this.complain('');
    this.held.push(item);
    this.drawChips();
  }

  drawChips() {
    this.chips.hidden = !this.held.length;
    this.chips.replaceChildren(...this.held.map((item, n) => {
      const chip = document.createElement('li'), name = span('fn', item.text === undefined ? item.name : this.label(item));
      const remove = button('icon', '');
      remove.setAttribute('aria-label', this.words.remove + ' ' + (item.name ?? this.words.pasted));
      remove.append(icon('x'));
      remove.addEventListener('click', () => { this.held.splice(n, 1); this.drawChips(); this.field.focus(); });
      chip.append(icon(item.text === undefined ? 'file' : 'paste'), name, span('meta num', item.text === undefined ? size(item.size) : this.words.characters.replace('{n}', [...item.text].length.toLocaleString())), remove);
      return chip;
    }));
  }

  label(item) {
    const first = item.text.trim().split('\n', 1)[0];
    return first.slice(0, 40) || this.words.pasted;
  }

  send() {
    const text = this.field.value.trim();
    if (!text && !this.held.length) { this.complain(this.words.empty); return; }
    this.complain('');
    const message = { key: newKey(), text, held: this.held };
    this.held = [];
    this.field.value = '';
    store(DRAFT, '');
    this.drawChips();
    const item = this.show(message, '');
    this.post(message, item);
    this.thread.toEnd();
  }

  /** The person's words stand in the thread at once, marked until the server has them. */
  show(message, trouble) {
    const item = document.createElement('li');
    item.className = 'mine';
    item.dataset.local = message.key;
    for (const held of message.held) {
      const what = span('what', '');
      what.append(icon(held.text === undefined ? 'file' : 'paste'), span('fn', held.text === undefined ? held.name : this.words.pasted), span('nb num', held.text === undefined ? size(held.size) : ''));
      item.append(what);
    }
    if (message.text) item.append(span('words', message.text));
    item.append(span('state', ''));
    this.thread.list.append(item);
    this.thread.after();
    if (trouble) this.failed(message, item, trouble); else this.state(item, this.words.sending);
    return item;
  }

  async post(message, item) {
    this.keep(message);
    const body = new FormData();
    body.set('csrf', this.form.elements.csrf.value);
    body.set('key', message.key);
    body.set('text', message.text);
    for (const held of message.held) {
      if (held.text === undefined) body.append('files', held.file, held.name); else body.append('pasted', held.text);
    }
    try {
      const answer = await fetch('/chat/messages', { method: 'POST', body, headers: { Accept: 'application/json' } });
      if (answer.ok) this.accepted(message, item);
      else this.failed(message, item, (await answer.json().catch(() => ({}))).error ?? this.words.not_sent);
    } catch {
      this.failed(message, item, this.words.offline);
    }
  }

  accepted(message, item) {
    this.forget(message);
    if (item.isConnected) this.state(item, ''); // the stream brings the stored message and takes this one away
    if (!this.thread.live) location.assign('/chat');
  }

  failed(message, item, trouble) {
    const line = this.state(item, trouble, true), again = button('btn quiet', this.words.again), back = button('btn quiet', this.words.take_back);
    again.addEventListener('click', () => { this.state(item, this.words.sending); this.post(message, item); });
    back.addEventListener('click', () => {
      this.forget(message);
      item.remove();
      this.field.value = [message.text, this.field.value].filter(Boolean).join('\n');
      this.held = [...message.held, ...this.held];
      store(DRAFT, this.field.value);
      this.drawChips();
      this.thread.after();
      this.field.focus();
    });
    line.append(again, back);
    this.thread.announce.textContent = trouble;
  }

  state(item, text, bad = false) {
    const line = item.querySelector('.state');
    line.classList.toggle('bad', bad);
    line.replaceChildren(span('', text));
    return line;
  }

  keep(message) {
    const rest = stored(UNSENT, []).filter(other => other.key !== message.key);
    store(UNSENT, [...rest, { key: message.key, text: message.text, pasted: message.held.filter(h => h.text !== undefined).map(h => h.text) }]);
  }

  forget(message) {
    store(UNSENT, stored(UNSENT, []).filter(other => other.key !== message.key));
  }

  complain(text) {
    this.trouble.textContent = text;
    this.trouble.hidden = !text;
  }
}

function stored(name, otherwise) {
  try { return JSON.parse(localStorage.getItem(name)) ?? otherwise; } catch { return otherwise; }
}

function store(name, value) {
  try { localStorage.setItem(name, JSON.stringify(value)); } catch { /* full or forbidden: the page still holds it */ }
}

function span(cls, text) {
  const made = document.createElement('span');
  made.className = cls;
  made.textContent = text;
  return made;
}

function button(cls, text) {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = cls;
  made.textContent = text;
  return made;
}

function icon(name) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  svg.setAttribute('class', 'i i-s');
  svg.setAttribute('aria-hidden', 'true');
  use.setAttribute('href', '#i-' + name);
  svg.append(use);
  return svg;
}

function size(bytes) {
  if (bytes < 1024) return bytes + ' B';
  if (bytes < 1024 * 1024) return Math.round(bytes / 1024) + ' KB';
  return (bytes / 1024 / 1024).toFixed(1) + ' MB';
}
