// The tool calls of a stream, whose arguments arrive in pieces. Some providers repeat an id, or leave out the whole call.
import { present } from '@bridle/events/json'
import { truncate } from '@bridle/kernel/text/truncate'
import { type CallInput, callInputText, readCallInput, unusableInput } from './call-input.ts'
import { CALL_INPUT_CHARS_MAX, PROVIDER_ID_CHARS_MAX, TOOL_NAME_CHARS_MAX } from './limits.ts'
import type { ModelOptions, StepCall } from './model.ts'
import type { StreamPart } from './step-builder.ts'
import type { StepSize } from './step-size.ts'

/** A call that has begun. `input` is null until the whole call has come. */
export interface PendingCall {
  readonly type: 'call'
  readonly providerId: string
  tool: string
  metadata: unknown
  text: string
  isTextWhole: boolean
  input: CallInput | null
}

export const createPendingCalls = (size: StepSize) => {
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
