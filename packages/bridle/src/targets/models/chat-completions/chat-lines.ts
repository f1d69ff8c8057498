// The data of a stream of server-sent events, line by line. Comments and other fields are skipped.
import { ModelError } from '../../../agents/model/model-error.ts'
import { LINE_CHARS_MAX } from '../limits.ts'

const DATA = /^data: ?(.*)$/

export async function* dataLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
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
