// Positions in a script, from which a stopped one continues.
import type { Job } from '../../kernel/ports/runner.ts'
import type { ScriptStep } from './script.ts'

/** The next step of a script, and the next piece of its text. */
export interface ScriptPosition {
  readonly step: number
  readonly piece: number
}

export const positionOf = ({ continues, resume }: Job): ScriptPosition => {
  const [, step, piece] = (continues && /^step:(\d+):(\d+)$/.exec(resume ?? '')) || []
  return { step: Number(step ?? 0), piece: Number(piece ?? 0) }
}

/** The position behind text that is in the log already; the handle may be older than that text. */
export const positionAfterText = (
  steps: readonly ScriptStep[],
  from: ScriptPosition,
  keptChars: number,
): ScriptPosition => {
  let position = from
  let chars = 0
  for (const [index, step] of steps.entries()) {
    // An event that the script emits may change the text.
    if (step.kind === 'event') return from
    if (step.kind !== 'text') continue
    for (const [piece, text] of splitText(step.text, step.chunks).entries()) {
      chars += text.length
      if (chars > keptChars) return position
      const isBehind = index > from.step || (index === from.step && piece >= from.piece)
      if (isBehind) position = { step: index, piece: piece + 1 }
    }
  }
  return position
}

/** `count` even pieces, or as many as there are characters; never between two surrogates. */
export const splitText = (text: string, count: number): string[] => {
  const characters = [...text]
  const total = Math.min(count, characters.length)
  const cut = (index: number) => Math.floor((index * characters.length) / total)
  return Array.from({ length: total }, (_, index) => characters.slice(cut(index), cut(index + 1)).join(''))
}
