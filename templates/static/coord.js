// Live pages. The server renders everything; this module hears that a page is
// out of date, fetches the page anew and puts its <main> in place. Without it
// the pages work and are as old as the last load.

const gone = 30_000; // ms without a sign of life before the stream counts as lost
const calm = 1_000; // ms between two refreshes
const asleep = 60_000; // ms in the background before the stream is closed

const page = document.body.dataset;
const live = document.getElementById('live');
const said = document.getElementById('said');
const main = () => document.getElementById('main');

// Times

let skew = 0; // server's clock minus ours, in ms

function relative(ms) {
  const s = Math.floor(Math.abs(ms) / 1000);
  if (s < 5) return 'just now';
  const text = s < 60 ? `${s} s` : s < 3600 ? `${Math.floor(s / 60)} min` : s < 48 * 3600 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 86400)} d`;
  return ms <= 0 ? `${text} ago` : `in ${text}`;
}

function showTimes() {
  for (const t of document.querySelectorAll('main time')) {
    const text = relative(Date.parse(t.dateTime) - Date.now() - skew);
    if (t.textContent !== text) t.textContent = text;
  }
}

// Copying

function prepare() {
  const now = Date.parse(main().dataset.now ?? '');
  if (now) skew = now - Date.now();
  for (const e of main().querySelectorAll('.oid')) {
    e.tabIndex = 0;
    e.setAttribute('role', 'button');
    e.setAttribute('aria-label', `${e.textContent}, copy`);
  }
}

async function copy(e) {
  try {
    await navigator.clipboard.writeText(e.title);
  } catch {
    getSelection().selectAllChildren(e);
    return;
  }
  e.classList.add('copied');
  said.textContent = `${e.title} copied`;
  setTimeout(() => e.classList.remove('copied'), 1200);
}

document.addEventListener('click', (ev) => {
  const e = ev.target.closest?.('.oid[tabindex]');
  if (e) copy(e);
});
document.addEventListener('keydown', (ev) => {
  if ((ev.key === 'Enter' || ev.key === ' ') && ev.target.matches?.('.oid[tabindex]')) {
    ev.preventDefault();
    copy(ev.target);
  }
});

// Replacing <main> without taking anything out of the reader's hands

// find returns how to get an element back: the nth that looks like it.
function find(root, e) {
  if (!e || e === root || !root.contains(e)) return null;
  const same = (o) => o.tagName === e.tagName && ['id', 'name', 'href', 'title'].every((a) => o.getAttribute(a) === e.getAttribute(a));
  const alike = (r) => [...r.querySelectorAll(e.tagName)].filter(same);
  const n = alike(root).indexOf(e);
  return (r) => alike(r)[n];
}

function entered(root) {
  return [...root.querySelectorAll('input[name], select[name]')]
    .filter((e) => (e.tagName === 'SELECT' ? [...e.options].some((o) => o.selected !== o.defaultSelected) && e.selectedIndex !== 0 : e.value !== e.defaultValue))
    .map((e) => [e.name, e.value]);
}

function print(row) {
  const copy = row.cloneNode(true);
  for (const t of copy.querySelectorAll('time')) t.remove();
  return copy.textContent;
}

const prints = (root) => new Map([...root.querySelectorAll('[data-key]')].map((r) => [r.dataset.key, print(r)]));

function swap(doc) {
  const old = main();
  const fresh = document.importNode(doc.getElementById('main'), true);
  const focus = find(old, document.activeElement);
  const caret = document.activeElement?.selectionStart;
  const typed = entered(old);
  const before = prints(old);
  const [x, y] = [scrollX, scrollY];
  const focusMain = document.activeElement === old;
  old.replaceWith(fresh);
  document.title = doc.title;
  for (const [name, value] of typed) {
    const e = fresh.querySelector(`[name="${name}"]`);
    if (e) e.value = value;
  }
  const e = focusMain ? fresh : focus?.(fresh);
  e?.focus({ preventScroll: true });
  if (e && typeof caret === 'number') e.setSelectionRange?.(caret, caret);
  scrollTo(x, y);
  prepare();
  showTimes();
  for (const r of fresh.querySelectorAll('[data-key]')) {
    if (before.get(r.dataset.key) !== print(r)) r.classList.add('fresh');
  }
}

// Hearing

let stream = null;
let heard = 0;
let due = 0; // timer of the next refresh
let last = 0; // time of the last refresh
let dirty = false; // a change was heard while nobody looked

function show(state) {
  if (live.dataset.state !== state) {
    live.dataset.state = state;
    said.textContent = state === 'live' ? 'Live updates are on' : 'Connection lost, reconnecting';
  }
  live.hidden = false;
  document.getElementById('live-state').textContent = state === 'live' ? 'live' : 'reconnecting';
  document.getElementById('live-age').textContent = relative(heard - Date.now());
}

function hear() {
  heard = Date.now();
  show('live');
}

function reading() {
  const s = getSelection();
  return s && !s.isCollapsed && main().contains(s.anchorNode);
}

function refreshSoon() {
  if (document.hidden) dirty = true;
  else if (!due) due = setTimeout(refresh, Math.max(100, last + calm - Date.now()));
}

async function refresh() {
  due = 0;
  last = Date.now();
  if (document.hidden) return void (dirty = true);
  if (reading()) return refreshSoon();
  dirty = false;
  try {
    const res = await fetch(location.href, { cache: 'no-store' });
    if (res.status === 401) return location.reload();
    if (!res.ok) throw new Error(res.statusText);
    swap(new DOMParser().parseFromString(await res.text(), 'text/html'));
  } catch {
    dirty = true;
    show('lost');
  }
}

function listen() {
  stream?.close();
  heard = Date.now();
  stream = new EventSource(`${page.feed}${page.feed.includes('?') ? '&' : '?'}after=${main().dataset.asOf}`);
  stream.addEventListener('beat', () => {
    hear();
    if (dirty) refreshSoon();
  });
  stream.addEventListener('change', () => {
    hear();
    refreshSoon();
  });
  stream.addEventListener('error', () => {
    show('lost');
    if (stream.readyState === EventSource.CLOSED) setTimeout(recheck, 3000);
  });
}

// recheck is for a stream that the server ended for good: the login may be
// over, which the page itself tells.
function recheck() {
  if (document.hidden) return void (dirty = true);
  refreshSoon();
  listen();
}

function tick() {
  if (!stream) return;
  if (live.dataset.state !== 'off') show(live.dataset.state);
  if (Date.now() - heard > gone) {
    show('lost');
    listen();
  }
}

let sleep = 0;
function watchVisibility() {
  clearTimeout(sleep);
  if (document.hidden) {
    sleep = setTimeout(() => {
      stream?.close();
      stream = null;
    }, asleep);
    return;
  }
  if (!stream) listen();
  if (dirty) refreshSoon();
  showTimes();
}

// Signing in

// A link from elsewhere comes without the strict cookie; asked again from
// here, the page may open. Otherwise the form returns to this page.
async function signIn() {
  const next = document.querySelector('[data-next]');
  if (next && location.pathname !== '/login') next.value = location.pathname + location.search;
  if (page.page !== 'refused' || location.pathname === '/login' || sessionStorage.getItem('asked') === location.href) return;
  sessionStorage.setItem('asked', location.href);
  const res = await fetch(location.href, { method: 'HEAD', cache: 'no-store' });
  if (res.ok) location.replace(location.href);
}

if (page.feed) {
  sessionStorage.removeItem('asked');
  prepare();
  listen();
  setInterval(tick, 1000);
  setInterval(showTimes, 5000);
  document.addEventListener('visibilitychange', watchVisibility);
  addEventListener('pageshow', (ev) => ev.persisted && listen());
  addEventListener('pagehide', () => stream?.close());
} else {
  signIn();
}
