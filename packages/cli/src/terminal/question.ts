// A question on the terminal with a few answers. An abort withdraws it, for example when another person answers elsewhere.

import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { EXIT_CODES, ExitError } from '../command/command.ts'
import { listenForInterrupt } from './interruption.ts'
import { type CliOutput, withPrinting } from './output.ts'
import { escapeInvisible, wrapWords } from './text-lines.ts'

/** Time for a terminal to deliver the keys that were pressed before a question. */
const TYPED_AHEAD_MS = 60

/** The question that is open. Its `interject` prints something below it and asks anew; null = nothing is asked now. */
export interface QuestionSlot {
  interject: ((print: () => void) => void) | null
}

/** An output whose text never continues the line of the question: it begins a new line, and the question is asked again below. */
export const besideQuestion = (out: CliOutput, slot: QuestionSlot): CliOutput =>
  withPrinting(out, (print) => (text) => (slot.interject === null ? print(text) : slot.interject(() => print(text))))

/** Asks once, and throws the refusal unless the person says yes. */
export const confirm = async (out: CliOutput, question: string, refusal: string): Promise<void> => {
  const { signal, dispose } = listenForInterrupt()
  const answer = await askChoice(out, `${question} [y]es, [n]o: `, ['y', 'n'], signal)
  dispose()
  if (answer === null) out.write('\n')
  if (answer !== 'y') throw new ExitError(EXIT_CODES.cancelled, refusal)
}

/** Null = no answer: the input ended, or the question was withdrawn. */
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

/** The answer in a line, or the reason to ask again. */
export type LineReader<A> = (line: string) => { readonly answer: A } | { readonly problem: string }

/** Null = no answer: the input ended, or the question was withdrawn. */
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
      // Also behind a remark: keys that are not on the line of the question must not become a part of the answer.
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
    // An open standard input would keep the process alive.
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
  // Not as a terminal: the line discipline does the editing, and Ctrl+C stays a signal to the process.
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
  // A listener alone does not read again behind an earlier question, which has paused the input.
  stdin.resume()
  await sleep(TYPED_AHEAD_MS)
  stdin.off('data', drop)
  stdin.setRawMode(false)
}

/** The first letter of an answer is enough. */
export const answerIn = <const A extends keyof typeof words>(text: string, answers: readonly A[]): A | null => {
  const typed = text.trim().toLowerCase()
  return answers.find((each) => typed === each || typed === words[each]) ?? null
}

const words = { y: 'yes', n: 'no', e: 'edit' } as const
