// A question on the terminal with a few answers. An abort withdraws it, for example when another person answers elsewhere.

import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { TYPED_AHEAD_MS } from '../limits.ts'
import type { CliOutput } from './output.ts'

/** The first letter of each answer is enough. Null = no answer: the input ended, or the question was withdrawn. */
export const askChoice = async <const A extends keyof typeof words>(
  out: CliOutput,
  question: string,
  answers: readonly A[],
  signal: AbortSignal,
): Promise<A | null> => {
  // Not as a terminal: the line discipline does the editing, and Ctrl+C stays a signal to the process.
  await dropTypedAhead()
  const lines = createInterface({ input: process.stdin, terminal: false })
  const close = () => lines.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    out.write(question)
    if (signal.aborted) return null
    for await (const line of lines) {
      const typed = line.trim().toLowerCase()
      const answer = answers.find((each) => typed === each || typed === words[each])
      if (answer !== undefined) return answer
      out.line(`  Answer ${answers.slice(0, -1).join(', ')} or ${answers.at(-1)}.`)
      out.write(question)
    }
    return null
  } finally {
    signal.removeEventListener('abort', close)
    close()
    // An open standard input would keep the process alive.
    process.stdin.pause()
  }
}

/**
 * Drops the keys that were pressed before the question appeared: they answer an earlier question, or a line of the agent that
 * looked like one. Raw input also drops a line that was not finished.
 */
const dropTypedAhead = async (): Promise<void> => {
  const { stdin } = process
  if (!stdin.isTTY) return
  const drop = (keys: Buffer) => {
    // While the input is raw, Ctrl+C is a key like any other.
    if (keys.includes(3)) process.kill(process.pid, 'SIGINT')
  }
  stdin.setRawMode(true)
  stdin.on('data', drop)
  await sleep(TYPED_AHEAD_MS)
  stdin.off('data', drop)
  stdin.setRawMode(false)
}

const words = { y: 'yes', n: 'no', e: 'edit' } as const
