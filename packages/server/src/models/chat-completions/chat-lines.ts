import { ModelError } from '@bridle/agents/model/model-error'

/** Some servers send all arguments of a call in a single line. */
const LINE_CHARS_MAX = 2_000_000

const DATA = /^data: ?(.*)$/
const LINE_END = /[\r\n]/

export async function* dataLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  let endsWithReturn = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true })
      const hasEnd = done || endsWithReturn || LINE_END.test(text)
      rest += text
      endsWithReturn = text.endsWith('\r')
      // A long line may arrive in thousands of chunks, so only rescan when it can end.
      if (!hasEnd && rest.length <= LINE_CHARS_MAX) continue
      const lines = rest.split(/\r\n|\n|\r(?!$)/)
      rest = done ? '' : (lines.pop() ?? '')
      if (rest.length > LINE_CHARS_MAX)
        throw new ModelError('invalid', `A line of the answer has more than ${LINE_CHARS_MAX} characters.`)
      for (const line of lines) {
        const [, data] = DATA.exec(line) ?? []
        if (data !== undefined) yield data
      }
      if (done) return
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}
