import { announce } from './announce.js'
import { make, pathIcon } from './element.js'

const SHEETS = 'M6 5V2.5h7.5V10H11M2.5 5.5H10v8H2.5z'

/**
 * A button that puts the text into the clipboard.
 * @param {string} text
 * @param {string} [what] what it is, for screen readers
 */
export function copyButton(text, what = 'address') {
  const label = `Copy ${what} ${text}`
  const button = make('button', { type: 'button', class: 'copy', 'aria-label': label, title: 'Copy' }, pathIcon(SHEETS))
  button.addEventListener('click', async () => {
    const copied = await copy(text)
    button.classList.toggle('done', copied)
    setTimeout(() => button.classList.remove('done'), 1500)
    announce(copied ? 'Copied.' : 'The browser did not let the page copy.')
  })
  return button
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/**
 * For pages loaded over plain HTTP from another machine, which have no clipboard API.
 * @param {string} text
 */
function copyBySelection(text) {
  const field = make('textarea', { class: 'unseen', readonly: true, tabindex: '-1' })
  const before = document.activeElement
  field.value = text
  document.body.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  if (before instanceof HTMLElement) before.focus()
  return copied
}
