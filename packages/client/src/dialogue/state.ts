import type { FabricVoiceEvent } from '../voice/options.ts'

/** Recent captions only. The session has the rest. */
const CAPTIONS_MAX = 6

/** The phase to show. `ready`: microphone off. `listening`: microphone on. `hearing`: user speaks. `approval`: a call waits. */
export type VoicePhase =
  | 'connecting'
  | 'ready'
  | 'listening'
  | 'hearing'
  | 'thinking'
  | 'speaking'
  | 'approval'
  | 'reconnecting'
  | 'closed'

/** A problem, with a message that says what to do. */
export interface VoiceProblem {
  /** The code to match. */
  readonly code: string
  /** The sentence to show. */
  readonly message: string
}

/** A tool call that waits for approval. */
export interface VoiceApproval {
  /** The approval id. */
  readonly id: string
  /** The tool to be called. */
  readonly toolName: string
  /** Why approval is needed. */
  readonly reason: string
}

/** The state that a page shows. */
export interface VoiceDialogueState {
  /** The phase to show. */
  readonly phase: VoicePhase
  /** True: the microphone is always on and pauses end turns. False: push to talk. */
  readonly isHandsFree: boolean
  /** Push to talk is pressed. */
  readonly isPressed: boolean
  /** Recent captions of both sides, oldest first. */
  readonly captions: readonly VoiceCaption[]
  /** The tool call that waits for approval, or null. */
  readonly approval: VoiceApproval | null
  /** The last problem, cleared when the user speaks. Null: none. */
  readonly problem: VoiceProblem | null
}

/** The inputs of `phase`. */
export interface DialogueFacts extends Omit<VoiceDialogueState, 'phase'> {
  readonly connection: 'connecting' | 'open' | 'reconnecting' | 'closed'
  readonly hasMicrophone: boolean
  readonly isHearing: boolean
  readonly isPlaying: boolean
  readonly isThinking: boolean
  /** The run whose captions are sent again after a reconnect. Null once it has ended. */
  readonly openRun: string | null
  readonly waitingCall: string | null
}

export type DialogueEvent =
  /** `hasRecorded`: the microphone delivered audio in the meantime. */
  | { readonly type: 'pressed'; readonly isPressed: boolean; readonly hasRecorded?: boolean }
  | { readonly type: 'microphone'; readonly hasMicrophone: boolean }
  | { readonly type: 'hands_free'; readonly isHandsFree: boolean }
  | { readonly type: 'playing'; readonly isPlaying: boolean }
  | { readonly type: 'problem'; readonly problem: VoiceProblem | null }

export const initialFacts = (isHandsFree: boolean): DialogueFacts => ({
  connection: 'connecting',
  isHandsFree,
  isPressed: false,
  hasMicrophone: false,
  isHearing: false,
  isPlaying: false,
  isThinking: false,
  openRun: null,
  waitingCall: null,
  approval: null,
  captions: [],
  problem: null,
})

/** Returns the same object if nothing changes. */
export const factsAfter = (facts: DialogueFacts, event: FabricVoiceEvent | DialogueEvent): DialogueFacts => {
  switch (event.type) {
    case 'pressed':
      // The turn is being transcribed, so treat the agent as working already.
      if (event.isPressed) return { ...facts, isPressed: true, problem: null }
      return {
        ...facts,
        isPressed: false,
        isThinking: facts.isThinking || (event.hasRecorded === true && facts.connection === 'open'),
      }
    case 'microphone':
      return { ...facts, hasMicrophone: event.hasMicrophone }
    case 'hands_free':
      return { ...facts, isHandsFree: event.isHandsFree, isPressed: false, isHearing: false }
    case 'playing':
      return { ...facts, isPlaying: event.isPlaying }
    case 'problem':
      return { ...facts, problem: event.problem }
    case 'session_open':
      // The end of an answer may have been missed during the disconnect.
      return {
        ...withoutApproval(facts),
        connection: 'open',
        isThinking: false,
        captions: facts.captions.filter(({ id }) => facts.openRun === null || !id.startsWith(`${facts.openRun}/`)),
        openRun: null,
        problem: event.isReconnect ? facts.problem : null,
      }
    case 'reconnecting':
      return { ...facts, connection: 'reconnecting', isHearing: false }
    case 'closed':
      return { ...facts, connection: 'closed', isPressed: false, isHearing: false, isThinking: false }
    case 'speech':
      return { ...facts, isHearing: event.state === 'started' }
    case 'error':
      return { ...facts, problem: { code: event.code, message: event.message }, isThinking: false }
    case 'tool_call':
      return withCall(facts, event)
    case 'text_delta':
      return { ...withoutApproval(facts), isThinking: true, ...withWords(facts, event) }
    case 'transcript':
      return {
        ...(event.role === 'user' ? { ...withoutApproval(facts), problem: null, isThinking: true } : facts),
        ...withWords(facts, event),
      }
    case 'response_done':
      return { ...withoutApproval(facts), isThinking: false, openRun: null }
    case 'audio_delta':
    case 'audio_stop':
      return facts
  }
}

export const stateOf = (facts: DialogueFacts): VoiceDialogueState => {
  const { isHandsFree, isPressed, captions, approval, problem } = facts
  return { phase: phaseOf(facts), isHandsFree, isPressed, captions, approval, problem }
}

/** By urgency: user speech takes precedence over the agent's. */
const phaseOf = (facts: DialogueFacts): VoicePhase => {
  if (facts.connection !== 'open') return facts.connection
  if (facts.isPressed || facts.isHearing) return 'hearing'
  if (facts.isPlaying) return 'speaking'
  if (facts.approval !== null) return 'approval'
  if (facts.isThinking) return 'thinking'
  return facts.isHandsFree && facts.hasMicrophone ? 'listening' : 'ready'
}

const withWords = (facts: DialogueFacts, event: Extract<FabricVoiceEvent, { type: 'text_delta' | 'transcript' }>) => ({
  captions: captionsAfter(facts.captions, event),
  // An interruption may shorten an answer that has ended.
  openRun: event.type === 'transcript' && event.interrupted ? facts.openRun : event.runId,
})

const withoutApproval = (facts: DialogueFacts): DialogueFacts => ({ ...facts, approval: null, waitingCall: null })

/** A later event of the call without an approval means it was decided. */
const withCall = (
  facts: DialogueFacts,
  { id, name, approval }: Extract<FabricVoiceEvent, { type: 'tool_call' }>,
): DialogueFacts => {
  if (approval)
    return { ...facts, waitingCall: id, approval: { id: approval.id, toolName: name, reason: approval.reason } }
  return facts.waitingCall === id ? withoutApproval(facts) : facts
}

/** Something that the user or the agent said. */
export interface VoiceCaption {
  /** Unique in the dialogue: run and speaker. */
  readonly id: string
  /** The speaker. */
  readonly role: 'user' | 'assistant'
  /** The text so far. */
  readonly text: string
  /** True if no more text is expected. */
  readonly isFinal: boolean
  /** The user interrupted, so the text is the part that was heard. */
  readonly isInterrupted: boolean
}

type Words = Extract<FabricVoiceEvent, { type: 'text_delta' | 'transcript' }>

const captionsAfter = (captions: readonly VoiceCaption[], event: Words): readonly VoiceCaption[] => {
  const { role, runId } = event
  const id = `${runId}/${role}`
  const before = captions.find((caption) => caption.id === id)
  const after: VoiceCaption =
    event.type === 'text_delta'
      ? { id, role, text: (before?.text ?? '') + event.delta, isFinal: false, isInterrupted: false }
      : { id, role, text: event.text, isFinal: true, isInterrupted: event.interrupted === true }
  const next = before ? captions.map((caption) => (caption === before ? after : caption)) : [...captions, after]
  return next.slice(-CAPTIONS_MAX)
}
