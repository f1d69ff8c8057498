// A reader of the streaming profile, as the rules have it and no more.
import type { ActionDirective, DirectiveChange, ResponseMessage, StreamFrame } from '@bridle/wire/openharness/wire'

export interface ReadFrame {
  readonly id: string
  readonly data: StreamFrame
}

export const framesOf = (text: string): ReadFrame[] =>
  [...text.matchAll(/^id: (.*)\ndata: (.*)$/gm)].map(([, id = '', data = '']) => ({ id, data: JSON.parse(data) }))

/** The directives of a reader that applies every frame. */
export const directivesAfter = (
  frames: readonly ReadFrame[],
  before: readonly ActionDirective[] = [],
): readonly ActionDirective[] => frames.flatMap(changesOf).reduce(applied, before)

const changesOf = ({ data }: ReadFrame): readonly DirectiveChange[] => (data.type === 'partial' ? data.changes : [])

const applied = (directives: readonly ActionDirective[], change: DirectiveChange): readonly ActionDirective[] => {
  if (change.index > directives.length) throw new Error('A frame leaves a hole.')
  const earlier = directives.slice(0, change.index)
  if ('directive' in change) return change.directive === null ? earlier : [...earlier, change.directive]
  const directive = directives[change.index]
  const text = String(directive?.payload?.text)
  if (directive?.action_type !== 'render_message' || change.keep > text.length)
    throw new Error('There is no such text.')
  const payload = { ...directive.payload, text: text.slice(0, change.keep) + change.append }
  return [...earlier, { ...directive, payload }, ...directives.slice(change.index + 1)]
}

export const messageAfter = (frames: readonly ReadFrame[]): ResponseMessage => {
  const last = frames.at(-1)?.data
  if (last?.type !== 'final') throw new Error('The stream has no final frame.')
  return last.message
}

export const withoutLatency = ({ response: { engine_latency_ms: _latency, ...rest } }: ResponseMessage): string =>
  JSON.stringify(rest)
