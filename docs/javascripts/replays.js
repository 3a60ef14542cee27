// Replays of the gallery: a page of one is loaded when its entry is opened and let go when it is closed, for a browser shows a few at a time only.
for (const entry of document.querySelectorAll('details:has(iframe[data-src])')) {
  const frame = entry.querySelector('iframe');
  entry.addEventListener('toggle', () => {
    if (entry.open) frame.src = frame.dataset.src;
    else frame.src = 'about:blank';
  });
}
