/** A button under a chart that keeps it as SVG: the chart's own code draws the file, so nothing is fetched. */

/** The chart in the container of that class, once Plotly has drawn it; null before. */
export function drawnIn(root, name) {
  const found = root.querySelector(`.st-key-${name} .js-plotly-plot`);
  return found?._fullLayout ? found : null;
}

/** What the chart's own button for a picture does, as a function of nothing; null where it has none. */
export function picturing(chart) {
  const groups = chart._fullLayout._modeBar?.buttons ?? [];
  const own = groups.flat().find((button) => button.name === "toImage");
  return own ? () => own.click(chart) : null;
}

export default function keep({ data, parentElement }) {
  const button = parentElement.querySelector("button") ?? parentElement.appendChild(document.createElement("button"));
  button.type = "button";
  button.textContent = data.label;
  button.onclick = () => {
    const chart = drawnIn(document, data.chart);
    if (chart) picturing(chart)?.();
  };
}
