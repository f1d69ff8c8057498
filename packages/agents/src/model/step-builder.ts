// Collects the parts of a model's stream into the entries of one step. Every field is checked: a provider's package may send anything.
import { type JsonObject, present } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'
import { type CallInput, callInputText, readCallInput, unusableInput } from './call-input.ts'
import { CALL_INPUT_CHARS_MAX, PROVIDER_ID_CHARS_MAX, TOOL_NAME_CHARS_MAX } from './limits.ts'
import type { ModelOptions, StepCall, StepContent } from './model.ts'
import { createStepSize, type StepSize } from './step-size.ts'

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

// The tool calls of a stream, whose arguments arrive in pieces. Some providers repeat an id, or leave out the whole call.

/** A call that has begun. `input` is null until the whole call has come. */
interface PendingCall {
  readonly type: 'call'
  readonly providerId: string
  tool: string
  metadata: unknown
  text: string
  isTextWhole: boolean
  input: CallInput | null
}

const createPendingCalls = (size: StepSize) => {
  const calls = new Map<unknown, PendingCall[]>()
  const usedIds = new Set<string>()

  const read = (call: PendingCall, text: string) => {
    call.input = readCallInput(text, size.room())
    size.addChars(call.input.raw?.length ?? text.length)
  }

  return {
    begin: (id: unknown, part: StreamPart): PendingCall => {
      const call: PendingCall = {
        type: 'call',
        providerId: typeof id === 'string' && id.length <= PROVIDER_ID_CHARS_MAX ? id : '',
        tool: typeof part.toolName === 'string' ? part.toolName : '',
        metadata: part.providerMetadata,
        text: '',
        isTextWhole: false,
        input: null,
      }
      calls.set(id, [...(calls.get(id) ?? []), call])
      return call
    },

    addInput: ({ id, delta }: StreamPart) => {
      const call = calls.get(id)?.at(-1)
      if (typeof delta === 'string') size.addArguments(delta.length)
      // The rest of arguments that are too long is of no use, and must not pile up.
      if (call && typeof delta === 'string' && call.text.length <= CALL_INPUT_CHARS_MAX) call.text += delta
    },

    endInput: ({ id }: StreamPart) => {
      const call = calls.get(id)?.at(-1)
      if (call) call.isTextWhole = true
    },

    /** A whole call: the one that began with its id, or null where none did. */
    complete: (part: StreamPart): PendingCall | null => {
      const call = calls.get(part.toolCallId)?.find(({ input }) => input === null)
      if (!call) return null
      if (typeof part.toolName === 'string') call.tool = part.toolName
      call.metadata = part.providerMetadata ?? call.metadata
      call.text = ''
      read(call, callInputText(part.input))
      return call
    },

    entry: (call: PendingCall, id: string, n: number): StepCall => {
      if (!call.input && call.isTextWhole) read(call, call.text)
      const { input, problem, raw } = call.input ?? unusableInput(call.text, 'The arguments do not end.')
      return present({
        type: 'call' as const,
        id,
        tool: truncate(call.tool, TOOL_NAME_CHARS_MAX),
        input,
        provider_id: uniqueId(call.providerId || `call_${n}`, usedIds),
        metadata: size.keep(call.metadata) as ModelOptions | undefined,
        problem: problem ?? nameProblem(call.tool),
        raw,
      })
    },
  }
}

/** A second call of the same id gets another one: every provider wants one result for each id. */
const uniqueId = (id: string, used: Set<string>): string => {
  let unique = id
  // Only letters, digits, _ and -: providers check the ids that come back.
  for (let n = 2; used.has(unique); n++) unique = `${id}_${n}`
  used.add(unique)
  return unique
}

const nameProblem = (tool: string): string | undefined => {
  if (tool === '') return 'The call names no tool.'
  return tool.length > TOOL_NAME_CHARS_MAX ? 'The name of the tool is too long.' : undefined
}
