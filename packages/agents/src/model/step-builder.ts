// Collects the parts of a model's stream into the entries of one step. Every field is checked: a provider's package may send anything.
import { type JsonObject, present } from '@bridle/events/json'
import { callInputText, readCallInput } from './call-input.ts'
import type { ModelOptions, StepContent } from './model.ts'
import { createPendingCalls, type PendingCall } from './pending-calls.ts'
import { createStepSize } from './step-size.ts'

/** A part of a stream before it is checked. */
export type StreamPart = { readonly [name: string]: unknown }

/** A piece of text that is heard while it arrives. */
export interface TextDelta {
  readonly type: 'text' | 'reasoning'
  readonly delta: string
}

/** A text or a thought, to which deltas are added. */
interface TextBlock {
  readonly type: 'text' | 'reasoning'
  text: string
  metadata: unknown
}

/** A part for the provider alone, as JSON. */
interface ProviderPart {
  readonly type: 'provider'
  readonly part: JsonObject
}

/** Parts by which a provider says something about its answer. They do not go back to it. */
const REMARKS: ReadonlySet<unknown> = new Set(['anthropic.message_start'])

/** `callId` names the calls of the step, which are counted from 1. */
export const createStepBuilder = (callId: (n: number) => string) => {
  const size = createStepSize()
  const calls = createPendingCalls(size)
  const blocks = { text: new Map<unknown, TextBlock>(), reasoning: new Map<unknown, TextBlock>() }
  const entries: (TextBlock | PendingCall | ProviderPart)[] = []

  const addEntry = <T extends TextBlock | PendingCall | ProviderPart>(entry: T): T => {
    size.addEntry()
    entries.push(entry)
    return entry
  }

  const beginBlock = (type: TextBlock['type'], part: StreamPart): TextBlock => {
    const block = addEntry<TextBlock>({ type, text: '', metadata: part.providerMetadata })
    blocks[type].set(part.id, block)
    return block
  }
  const openBlock = (type: TextBlock['type'], part: StreamPart): TextBlock => {
    const block = blocks[type].get(part.id) ?? beginBlock(type, part)
    // Later metadata replaces earlier: packages send a signature with the last part, together with all that came before.
    block.metadata = part.providerMetadata ?? block.metadata
    return block
  }
  const addText = (type: TextBlock['type'], part: StreamPart): TextDelta | null => {
    const block = openBlock(type, part)
    const { delta } = part
    if (typeof delta !== 'string' || delta === '') return null
    size.addChars(delta.length)
    block.text += delta
    return { type, delta }
  }
  const endBlock = (type: TextBlock['type'], part: StreamPart) => {
    openBlock(type, part)
    blocks[type].delete(part.id)
  }
  const addCall = (part: StreamPart) => {
    if (part.providerExecuted === true) return addProviderPart(providerCall(part))
    if (calls.complete(part)) return
    addEntry(calls.begin(part.toolCallId, part))
    calls.complete(part)
  }
  const addProviderPart = (part: object) => {
    const plain = size.keep(part)
    if (plain) addEntry<ProviderPart>({ type: 'provider', part: plain })
  }

  const handlers: Record<string, (part: StreamPart) => void> = {
    'text-start': (part) => beginBlock('text', part),
    'text-end': (part) => endBlock('text', part),
    'reasoning-start': (part) => beginBlock('reasoning', part),
    'reasoning-end': (part) => endBlock('reasoning', part),
    // A call that the provider runs itself comes whole later, with its result.
    'tool-input-start': (part) => part.providerExecuted === true || addEntry(calls.begin(part.id, part)),
    'tool-input-delta': calls.addInput,
    'tool-input-end': calls.endInput,
    'tool-call': addCall,
    'tool-result': (part) => part.preliminary === true || addProviderPart(providerResult(part)),
    custom: ({ kind, providerMetadata }) =>
      REMARKS.has(kind) || addProviderPart({ type: 'custom', kind, providerOptions: providerMetadata }),
  }

  /** Takes one part, and gives the text in it. Parts of unknown types are skipped. */
  const add = (part: StreamPart): TextDelta | null => {
    size.addPart()
    if (part.type === 'text-delta') return addText('text', part)
    if (part.type === 'reasoning-delta') return addText('reasoning', part)
    if (typeof part.type === 'string' && Object.hasOwn(handlers, part.type)) handlers[part.type]!(part)
    return null
  }

  /** The entries in the order in which they began. */
  const content = (): StepContent[] => {
    let count = 0
    const stepEntry = (entry: (typeof entries)[number]): StepContent | null => {
      if (entry.type === 'provider') return entry
      if (entry.type === 'call') {
        count += 1
        return calls.entry(entry, callId(count), count)
      }
      const metadata = size.keep(entry.metadata) as ModelOptions | undefined
      // Providers refuse an empty text in the next prompt. An empty thought is kept only for its signature.
      return entry.text === '' && !metadata ? null : present({ type: entry.type, text: entry.text, metadata })
    }
    const result = entries.map(stepEntry).filter((entry) => entry !== null)
    size.check(result)
    return result
  }

  return { add, isEmpty: () => entries.length === 0, content }
}

/** A call that ran at the provider, as the next prompt repeats it. */
const providerCall = ({ toolCallId, toolName, input, providerMetadata }: StreamPart) => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: readCallInput(callInputText(input), Number.POSITIVE_INFINITY).input,
  providerExecuted: true,
  providerOptions: providerMetadata,
})

/** The result of such a call. */
const providerResult = ({ toolCallId, toolName, result, isError, providerMetadata }: StreamPart) => ({
  type: 'tool-result',
  toolCallId,
  toolName,
  output: { type: isError === true ? 'error-json' : 'json', value: result ?? null },
  providerOptions: providerMetadata,
})
