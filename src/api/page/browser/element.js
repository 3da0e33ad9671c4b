/**
 * Makes an element. Children are text or elements; text always stays text, because there is no way to pass HTML.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | boolean | undefined>} [attributes] true = set without a value; false or undefined = left out
 * @param {...(Node | string | undefined)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag)
  setAttributes(element, attributes)
  for (const child of children) if (child !== undefined) element.append(child)
  return element
}

/**
 * The letters of a chain in a circle; only decoration, because the name is next to it.
 * @param {string} letters one or two
 * @returns {SVGElement}
 */
export function letterIcon(letters) {
  const svg = makeSvg('svg', { viewBox: '0 0 32 32', class: 'icon', 'aria-hidden': 'true', focusable: 'false' })
  const text = makeSvg('text', { x: '16', y: '16', 'text-anchor': 'middle', 'dominant-baseline': 'central' })
  text.textContent = letters
  svg.append(makeSvg('circle', { cx: '16', cy: '16', r: '16' }), text)
  return svg
}

/**
 * An icon from one path on a 16 by 16 grid.
 * @param {string} path
 * @returns {SVGElement}
 */
export function pathIcon(path) {
  const svg = makeSvg('svg', { viewBox: '0 0 16 16', class: 'glyph', 'aria-hidden': 'true', focusable: 'false' })
  svg.append(makeSvg('path', { d: path }))
  return svg
}

/**
 * The element of the page with that id.
 * @template {HTMLElement} E
 * @param {string} id
 * @param {new () => E} kind
 * @returns {E}
 */
export function byId(id, kind) {
  const element = document.getElementById(id)
  if (!(element instanceof kind)) throw new Error(`the page has no ${id}`)
  return element
}

/**
 * @param {string} tag
 * @param {Record<string, string>} attributes
 */
function makeSvg(tag, attributes) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  setAttributes(element, attributes)
  return element
}

/**
 * @param {Element} element
 * @param {Record<string, string | boolean | undefined>} attributes
 */
function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, '')
    else if (value !== false && value !== undefined) element.setAttribute(name, value)
  }
}
