// Asks a question with a few answers on the terminal. An abort withdraws it, for example when someone answers elsewhere.

import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_CODES, ExitError } from '../command/command.ts'
import { CTRL_C, listenForInterrupt } from './interruption.ts'
import { type CliOutput, withPrinting } from './output.ts'
import { escapeInvisible, wrapWords } from './text-lines.ts'

/** Time for the terminal to deliver keys pressed before the question. */
const TYPED_AHEAD_MS = 60

/** The open question. `interject` prints below it and asks again. Null without a question. */
export interface QuestionSlot {
  interject: ((print: () => void) => void) | null
}

/** Prints on a new line during a question, which is then asked again below. */
export const besideQuestion = (out: CliOutput, slot: QuestionSlot): CliOutput =>
  withPrinting(out, (print) => (text) => (slot.interject === null ? print(text) : slot.interject(() => print(text))))

export const confirm = async (out: CliOutput, question: string, refusal: string): Promise<void> => {
  const { signal, dispose } = listenForInterrupt()
  const answer = await askChoice(out, `${question} [y]es, [n]o: `, ['y', 'n'], signal)
  dispose()
  if (answer === null) out.write('\n')
  if (answer !== 'y') throw new ExitError(EXIT_CODES.cancelled, refusal)
}

/** Null if stdin ended or the question was withdrawn. */
export const askChoice = <const A extends keyof typeof words>(
  out: CliOutput,
  question: string,
  answers: readonly A[],
  signal: AbortSignal,
  slot?: QuestionSlot,
): Promise<A | null> => {
  const problem = `Answer ${answers.slice(0, -1).join(', ')} or ${answers.at(-1)}.`
  const read: LineReader<A> = (line) => {
    const answer = answerIn(line, answers)
    return answer === null ? { problem } : { answer }
  }
  return askLine(out, question, read, signal, slot)
}

export type LineReader<A> = (line: string) => { readonly answer: A } | { readonly problem: string }

export const askLine = async <A>(
  out: CliOutput,
  question: string,
  read: LineReader<A>,
  signal: AbortSignal,
  slot: QuestionSlot = { interject: null },
): Promise<A | null> => {
  try {
    while (!signal.aborted) {
      const interjected = new AbortController()
      let isShown = false
      slot.interject = (print) => {
        if (isShown) out.write('\n')
        isShown = false
        print()
        interjected.abort()
      }
      // Also after a remark: keys typed before the question must not become part of the answer.
      await dropTypedAhead()
      if (interjected.signal.aborted || signal.aborted) continue
      isShown = true
      out.write(question)
      const answer = await readAnswer(out, question, read, AbortSignal.any([signal, interjected.signal]))
      if (answer !== null || !interjected.signal.aborted) return answer
    }
    return null
  } finally {
    slot.interject = null
    // An open stdin would keep the process alive.
    process.stdin.pause()
  }
}

const readAnswer = async <A>(
  out: CliOutput,
  question: string,
  read: LineReader<A>,
  signal: AbortSignal,
): Promise<A | null> => {
  if (signal.aborted) return null
  // `terminal: false` leaves editing to the line discipline and keeps Ctrl+C a signal.
  const lines = createInterface({ input: process.stdin, terminal: false })
  const close = () => lines.close()
  signal.addEventListener('abort', close, { once: true })
  try {
    for await (const line of lines) {
      const reply = read(line)
      if ('answer' in reply) return reply.answer
      for (const part of wrapWords(escapeInvisible(reply.problem), out.width - 2)) out.line(`  ${part}`)
      out.write(question)
    }
    return null
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
}

/** Drops keys typed before the question, even an unfinished line: agent text may have imitated a question. */
const dropTypedAhead = async (): Promise<void> => {
  const { stdin } = process
  if (!stdin.isTTY) return
  const drop = (keys: Buffer) => {
    if (keys.includes(CTRL_C)) process.kill(process.pid, 'SIGINT')
  }
  stdin.setRawMode(true)
  stdin.on('data', drop)
  // An earlier question paused stdin.
  stdin.resume()
  await sleep(TYPED_AHEAD_MS)
  stdin.off('data', drop)
  stdin.setRawMode(false)
}

/** Accepts the first letter of an answer. */
export const answerIn = <const A extends keyof typeof words>(text: string, answers: readonly A[]): A | null => {
  const typed = text.trim().toLowerCase()
  return answers.find((each) => typed === each || typed === words[each]) ?? null
}

const words = { y: 'yes', n: 'no', e: 'edit' } as const
