/** Who was away goes on where they were: the page before this one. */
for (const link of document.links) {
  link.addEventListener("click", (event) => {
    if (history.length < 2) return;
    event.preventDefault();
    history.back();
  });
}
