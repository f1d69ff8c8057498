// A long answer may grow for hours. Snapshots write its settled beginning once, in pieces, and only its end again.
import type { HarnessMessage, HarnessPart, HarnessToolCall } from '../projections/harness-state.ts'
import { approximateChars } from '../text/size.ts'

interface MessagePlace {
  readonly chars: number
  readonly parts: number
  readonly calls: number
}

/** `to` is null in the last piece, which also has all other fields of the message. */
export interface MessagePiece {
  readonly owner: HarnessMessage
  readonly from: MessagePlace
  readonly to: MessagePlace | null
}

/** A whole message, its end, or a stretch before its end. */
export type PieceContent = HarnessMessage | MessageStretch
interface MessageStretch {
  readonly content: string
  readonly parts?: HarnessPart[]
  readonly toolCalls?: HarnessToolCall[]
}

const START: MessagePlace = { chars: 0, parts: 0, calls: 0 }

/** All pieces of a finished message. Pieces written `at` an index while it grew are reused. */
export const settledPieces = (
  message: HarnessMessage,
  written: readonly MessagePiece[],
  at: number,
): readonly MessagePiece[] => {
  const whole = written[at]
  if (whole?.owner === message && whole.to === null) return [whole]
  const pieces = keptPieces(message, written, at)
  return [...pieces, { owner: message, from: endOf(pieces), to: null }]
}

/** The full pieces of a message that may still change. */
export const growingPieces = (
  message: HarnessMessage,
  written: readonly MessagePiece[],
  at: number,
  pieceChars: number,
): readonly MessagePiece[] => {
  const pieces = keptPieces(message, written, at)
  const settled = settledPlace(message)
  for (;;) {
    const from = endOf(pieces)
    const to = nextPlace(message, from, settled, pieceChars)
    if (!to) return pieces
    pieces.push({ owner: message, from, to })
  }
}

export const restOf = (message: HarnessMessage, pieces: readonly MessagePiece[]): HarnessMessage =>
  pieces.length === 0 ? message : (contentOf({ owner: message, from: endOf(pieces), to: null }) as HarnessMessage)

export const contentOf = ({ owner: message, from, to }: MessagePiece): PieceContent => {
  if (from === START && to === null) return message
  const { parts, toolCalls } = message
  // Prompts have neither parts nor calls.
  const stretch: MessageStretch = {
    content: message.content.slice(from.chars, to?.chars),
    ...(parts && { parts: parts.slice(from.parts, to?.parts) }),
    ...(toolCalls && { toolCalls: toolCalls.slice(from.calls, to?.calls) }),
  }
  return to === null ? { ...message, ...stretch } : stretch
}

/** Unchanged values are identical objects, so nothing is compared in depth. */
export const isSamePiece = (a: MessagePiece | undefined, b: MessagePiece): boolean => {
  if (!a || !isSamePlace(a.from, b.from) || !isSamePlace(a.to, b.to)) return false
  if (a.owner === b.owner) return true
  const { from, to } = b
  if (to === null) return false
  return (
    isSameStretch(a.owner.parts, b.owner.parts, from.parts, to.parts) &&
    isSameStretch(a.owner.toolCalls, b.owner.toolCalls, from.calls, to.calls) &&
    a.owner.content.slice(from.chars, to.chars) === b.owner.content.slice(from.chars, to.chars)
  )
}

export interface StoredPiece {
  readonly content: PieceContent
  /** The message in memory. Null if the piece was read. */
  readonly owner: HarnessMessage | null
}

/** `ends` come from the snapshot; the first may be the end of a message that has pieces. */
export const joinPieces = (
  stored: readonly StoredPiece[],
  ends: readonly HarnessMessage[],
): { readonly messages: HarnessMessage[]; readonly pieces: MessagePiece[] } => {
  const messages: HarnessMessage[] = []
  const pieces: MessagePiece[] = []
  let stretches: MessageStretch[] = []
  let owners = new Set<HarnessMessage | null>()
  const join = (end: HarnessMessage): void => {
    const [owner = null] = owners
    // Branches share messages with their parent.
    const message = owners.size === 1 && owner ? owner : joinStretches(stretches, end)
    messages.push(message)
    let from = START
    for (const stretch of stretches) {
      const to = placeBehind(from, stretch)
      pieces.push({ owner: message, from, to })
      from = to
    }
    if (owners.size > 0) pieces.push({ owner: message, from, to: null })
  }
  for (const { content, owner } of stored) {
    owners.add(owner)
    if (!('id' in content)) {
      stretches.push(content)
      continue
    }
    join(content)
    stretches = []
    owners = new Set()
  }
  owners.clear()
  for (const end of ends) {
    join(end)
    stretches = []
  }
  return { messages, pieces }
}

const joinStretches = (stretches: readonly MessageStretch[], end: HarnessMessage): HarnessMessage => {
  if (stretches.length === 0) return end
  const all = [...stretches, end]
  return {
    ...end,
    content: all.map(({ content }) => content).join(''),
    ...(end.parts && { parts: all.flatMap(({ parts = [] }) => parts) }),
    ...(end.toolCalls && { toolCalls: all.flatMap(({ toolCalls = [] }) => toolCalls) }),
  }
}

const placeBehind = ({ chars, parts, calls }: MessagePlace, stretch: MessageStretch): MessagePlace => ({
  chars: chars + stretch.content.length,
  parts: parts + (stretch.parts?.length ?? 0),
  calls: calls + (stretch.toolCalls?.length ?? 0),
})

/** Drops pieces beyond the end: an answer can become shorter. */
const keptPieces = (message: HarnessMessage, written: readonly MessagePiece[], at: number): MessagePiece[] => {
  const pieces: MessagePiece[] = []
  for (let piece = written[at]; piece; piece = written[at + pieces.length]) {
    const { owner, from, to } = piece
    if (owner.id !== message.id || to === null || !isWithin(to, message)) break
    pieces.push({ owner: message, from, to })
  }
  return pieces
}

const isWithin = ({ chars, parts, calls }: MessagePlace, message: HarnessMessage): boolean =>
  chars <= message.content.length && parts <= (message.parts?.length ?? 0) && calls <= (message.toolCalls?.length ?? 0)

const endOf = (pieces: readonly MessagePiece[]): MessagePlace => pieces.at(-1)?.to ?? START

/** Text is only appended, the last part may grow, and calls change until their outcome. Pieces that change anyway are rewritten. */
const settledPlace = ({ content, parts = [], toolCalls = [] }: HarnessMessage): MessagePlace => {
  const running = toolCalls.findIndex(({ status }) => status === 'running')
  return {
    chars: content.length,
    parts: Math.max(0, parts.length - 1),
    calls: running < 0 ? toolCalls.length : running,
  }
}

/** The end of the next full piece. Null if there is not enough settled content. */
const nextPlace = (
  message: HarnessMessage,
  from: MessagePlace,
  settled: MessagePlace,
  pieceChars: number,
): MessagePlace | null => {
  let { chars, parts, calls } = from
  let room = pieceChars
  for (; room > 0 && calls < settled.calls; calls++) room -= approximateChars(message.toolCalls?.[calls])
  for (; room > 0 && parts < settled.parts; parts++) room -= approximateChars(message.parts?.[parts])
  if (room > 0) {
    const text = Math.min(room, settled.chars - chars)
    chars += text
    room -= text
  }
  return room > 0 ? null : { chars, parts, calls }
}

const isSamePlace = (a: MessagePlace | null, b: MessagePlace | null): boolean =>
  a === b || (a?.chars === b?.chars && a?.parts === b?.parts && a?.calls === b?.calls)

const isSameStretch = (a: readonly unknown[] = [], b: readonly unknown[] = [], from: number, to: number): boolean => {
  for (let index = from; index < to; index++) if (a[index] !== b[index]) return false
  return true
}
