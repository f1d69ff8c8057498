// How a test scripts a provider stub: `@stub [ {turn}, ... ]` in the prompt, one turn per step of the model.

/**
 * The last top-level directive of a text. Brackets are balanced with strings skipped, so a directive may nest another
 * one (a subagent's prompt), and merged user messages use the newest.
 */
export const directive = (text: string): unknown[] | null => {
  let found: unknown[] | null = null
  for (let from = 0; ; ) {
    const at = text.indexOf('@stub [', from)
    const end = at < 0 ? -1 : endOf(text, at + '@stub '.length)
    if (end < 0) return found
    found = JSON.parse(text.slice(at + '@stub '.length, end + 1)) as unknown[]
    from = end + 1
  }
}

const endOf = (text: string, from: number): number => {
  let depth = 0
  let inString = false
  for (let index = from; index < text.length; index++) {
    const character = text[index]
    if (inString) {
      if (character === '\\') index++
      else if (character === '"') inString = false
    } else if (character === '"') inString = true
    else if (character === '[' || character === '{') depth++
    else if ((character === ']' || character === '}') && --depth === 0) return index
  }
  return -1
}
