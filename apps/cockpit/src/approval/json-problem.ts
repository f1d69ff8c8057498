// Where a text stops being JSON, and what is missing there. The platform's parser tells it only in the words of its message, which differ
// between browsers; this scanner accepts exactly what `JSON.parse` accepts.

/** Levels of edited JSON: deeper than a person edits, and a scanner that calls itself must end somewhere. */
const JSON_LEVELS_MAX = 500

export interface JsonProblem {
  /** From 1. */
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Null = the text is JSON. */
export const jsonProblem = (text: string): JsonProblem | null => {
  let at = 0

  const skipSpace = (): void => {
    while (' \t\n\r'.includes(text[at] ?? 'x')) at++
  }
  const fail = (message: string, place = at): never => {
    throw new JsonStop(message, place)
  }
  const string = (): void => {
    const start = at
    at++
    for (;;) {
      const character = text[at]
      if (character === undefined || character === '\n') fail('A quote is missing at the end of this text.', start)
      if (character === '"') break
      if ((character as string) < ' ') fail('A control character stands in a text: write it as an escape.')
      if (character === '\\') {
        at++
        const letter = text[at] ?? ''
        if (letter === 'u') {
          if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) fail('\\u needs four hexadecimal digits.', at - 1)
          at += 4
        } else if (letter === '' || !'"\\/bfnrt'.includes(letter)) fail('There is no such escape.', at - 1)
      }
      at++
    }
    at++
  }
  const literal = (): void => {
    LITERAL.lastIndex = at
    const [word = ''] = LITERAL.exec(text) ?? []
    if (word === '') fail(at >= text.length ? 'A value is missing at the end.' : 'A value is missing here.')
    at += word.length
    if (/[\w.]/.test(text[at] ?? '')) fail('This is no number, text, true, false or null.', at - word.length)
  }
  const items = (close: string, level: number, item: () => void): void => {
    at++
    skipSpace()
    if (text[at] === close) {
      at++
      return
    }
    if (level > JSON_LEVELS_MAX) fail('The value has too many levels.')
    for (;;) {
      item()
      skipSpace()
      if (text[at] === close) break
      if (text[at] !== ',')
        fail(at >= text.length ? `"${close}" is missing at the end.` : `"," or "${close}" is missing here.`)
      at++
      skipSpace()
      if (text[at] === close) fail(`A comma stands before "${close}".`, at - 1)
    }
    at++
  }
  const value = (level: number): void => {
    skipSpace()
    if (text[at] === '"') string()
    else if (text[at] === '[') items(']', level, () => value(level + 1))
    else if (text[at] === '{')
      items('}', level, () => {
        if (text[at] !== '"') fail('A key in quotes is missing here.')
        string()
        skipSpace()
        if (text[at] !== ':') fail('":" is missing after the key.')
        at++
        value(level + 1)
      })
    else literal()
  }

  try {
    value(0)
    skipSpace()
    if (at < text.length) fail('The value ends before this.')
    return null
  } catch (stop) {
    if (!(stop instanceof JsonStop)) throw stop
    const before = text.slice(0, stop.place).split('\n')
    return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, message: stop.message }
  }
}

const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

class JsonStop extends Error {
  readonly place: number
  constructor(message: string, place: number) {
    super(message)
    this.place = place
  }
}
