// A question on the terminal with a few answers, one at a time. It is withdrawn when the answer comes from elsewhere.
import { createInterface } from 'node:readline'
import type { Output } from './output.ts'

/** The first letter of each answer is enough. Null = no answer: the input ended, or the question was withdrawn. */
export const choose = async <const A extends keyof typeof words>(
  out: Output,
  question: string,
  answers: readonly A[],
  signal: AbortSignal,
): Promise<A | null> => {
  // Not as a terminal: the line discipline does the editing, and Ctrl+C stays a signal to the process.
  const lines = createInterface({ input: process.stdin, terminal: false })
  const close = () => lines.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    out.write(question)
    if (signal.aborted) return null
    for await (const line of lines) {
      const said = line.trim().toLowerCase()
      const answer = answers.find((each) => said === each || said === words[each])
      if (answer !== undefined) return answer
      out.write(question)
    }
    return null
  } finally {
    signal.removeEventListener('abort', close)
    close()
    // An open standard input would keep the process.
    process.stdin.pause()
  }
}

const words = { y: 'yes', n: 'no', e: 'edit' } as const
