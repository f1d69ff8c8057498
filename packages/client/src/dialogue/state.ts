// The state of a dialogue, folded from the events of its line and of the page. The page shows it as it is.
import type { FabricVoiceEvent } from '../voice/options.ts'

/** Captions that a dialogue keeps: what was just said. The session has the rest. */
const CAPTIONS_MAX = 6

/**
 * The phase to show. `ready`: the line is open and the microphone off. `listening`: the microphone is on. `hearing`: somebody speaks.
 * `thinking`: the agent works. `approval`: a tool call waits for a person.
 */
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

/** A problem, in a sentence that says what to do. */
export interface VoiceProblem {
  /** The code to match. */
  readonly code: string
  /** The sentence to show. */
  readonly message: string
}

/** A tool call that waits for a person. */
export interface VoiceApproval {
  /** The id of the approval, as every wire has it. */
  readonly id: string
  /** The tool that the agent wants to use. */
  readonly toolName: string
  /** The reason why somebody is asked. */
  readonly reason: string
}

/** A dialogue as a page shows it. */
export interface VoiceDialogueState {
  /** The phase to show. */
  readonly phase: VoicePhase
  /** The microphone is always on, and pauses end turns; else the person holds a button. */
  readonly isHandsFree: boolean
  /** The person holds the button. */
  readonly isPressed: boolean
  /** The newest words of both sides, oldest first. */
  readonly captions: readonly VoiceCaption[]
  /** The tool call that waits for a person; null = none. */
  readonly approval: VoiceApproval | null
  /** The last problem; null = none since the person spoke. */
  readonly problem: VoiceProblem | null
}

/** All that the phase follows from. */
export interface DialogueFacts extends Omit<VoiceDialogueState, 'phase'> {
  readonly connection: 'connecting' | 'open' | 'reconnecting' | 'closed'
  readonly hasMicrophone: boolean
  readonly isHearing: boolean
  readonly isPlaying: boolean
  /** The agent works on an answer. */
  readonly isThinking: boolean
  /** The run whose captions come again after a broken connection; null = the last one has ended. */
  readonly openRun: string | null
  /** The call that waits for a person. */
  readonly waitingCall: string | null
}

export type DialogueEvent =
  /** `hasRecorded`: the microphone has recorded something in the meantime. */
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

/** The facts after an event; the very same object where nothing changes. */
export const factsAfter = (facts: DialogueFacts, event: FabricVoiceEvent | DialogueEvent): DialogueFacts => {
  switch (event.type) {
    case 'pressed':
      // A turn that ended is being transcribed: the agent is as good as at work.
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
      // The end of an answer may have been missed while the connection was broken.
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

/** The most urgent comes first: a person who speaks is heard even while the agent speaks. */
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
  // An interruption may change the words of an answer that has ended.
  openRun: event.type === 'transcript' && event.interrupted ? facts.openRun : event.runId,
})

const withoutApproval = (facts: DialogueFacts): DialogueFacts => ({ ...facts, approval: null, waitingCall: null })

/** A call that waits says so; the same call without an approval was decided. */
const withCall = (
  facts: DialogueFacts,
  { id, name, approval }: Extract<FabricVoiceEvent, { type: 'tool_call' }>,
): DialogueFacts => {
  if (approval)
    return { ...facts, waitingCall: id, approval: { id: approval.id, toolName: name, reason: approval.reason } }
  return facts.waitingCall === id ? withoutApproval(facts) : facts
}

/** Words of either side. */
export interface VoiceCaption {
  /** Unique in its dialogue: the run and the speaker. */
  readonly id: string
  /** The speaker. */
  readonly role: 'user' | 'assistant'
  /** The words so far. */
  readonly text: string
  /** No more words come, as far as is known. */
  readonly isFinal: boolean
  /** The person interrupted: the text is the part that was heard. */
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
