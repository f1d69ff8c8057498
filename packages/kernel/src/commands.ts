// Commands of callers and reports of runners share one inbox and one `decide`.

import type { GivenAnswer } from '@bridle/events/answers'
import type { RunnerApprovalKind } from '@bridle/events/approval-kinds'
import type { Json, JsonObject } from '@bridle/events/json'
import type { Question } from '@bridle/events/questions'
import type {
  ApprovalDecision,
  ApprovalRisk,
  EXCUSE_REASONS,
  Payloads,
  Policy,
  ToolEffect,
} from '@bridle/events/schemas'
import type { AnyEvent, AnyEventDraft } from './event.ts'
import type { BranchParent } from './ports/log.ts'
import type { HeardMark } from './projections/listening.ts'
import type { ChildNotice } from './rules/children/child-notice.ts'
import type { RunPass } from './session/run-gate.ts'

/** Applies only if the command creates the session. */
export interface SessionOptions {
  readonly kind?: 'chat' | 'background'
  readonly title?: string
  readonly maxRetries?: number
  readonly expiresAt?: number | null
  readonly policy?: Policy
  readonly settings?: JsonObject
  readonly parentSessionId?: string | null
  /** Set if the session works on a task of its parent's run. Absent: independent of the parent's runs. */
  readonly delegation?: TaskDelegation
  /** Artifacts that the same append publishes, such as a workspace. */
  readonly artifacts?: readonly PreparedArtifact[]
}

export interface TaskDelegation {
  /** The parent's agent: sessions of different agents may share an id. */
  readonly agent: string
  /** Nesting depth, counting this session. */
  readonly depth: number
}

export interface ArtifactContent {
  readonly name: string
  readonly kind?: string
  readonly contentType: string
  readonly text: string
  /** Shown to the person who decides about a proposal. */
  readonly reason?: string
}

export type PreparedArtifact = Required<Omit<ArtifactContent, 'reason'>>

/** Owner of the session, if the command creates it. */
export interface OwnerOption {
  readonly owner?: string
}

/** Makes the prompt answer the open question. Only `Host.send` sets it. */
export interface InputAnswerOption {
  readonly inputAnswer?: InputAnswer
}

/** The answer that a spoken prompt expresses. If the question is already closed, the prompt is an ordinary one. */
export interface PromptMeaning extends GivenAnswer {
  readonly approvalId: string
}

export interface InputAnswer extends GivenAnswer {
  readonly approvalId: string
  readonly digest: string
}

/** The person who issued the command. */
export interface ActorField {
  readonly actor?: string
  /** The caller supplied the name because its credential has no user. */
  readonly isActorClaimed?: true
}

export interface ReasonField extends ActorField {
  readonly reason?: string
}

interface PromptFields extends ActorField {
  readonly prompt: string
  readonly input?: Json
}

export type Command =
  | ({ readonly type: 'create'; readonly opening?: SessionOptions } & OwnerOption)
  | ({
      readonly type: 'submit'
      readonly opening?: SessionOptions
      /** The prompt was spoken: a voice agent answers aloud. */
      readonly spoken?: true
      /** Refuse if the session exists. */
      readonly fresh?: true
      /** Refuse unless the session exists. */
      readonly existing?: true
      /** `join`: queue nothing if the run in progress covers the prompt. `answer`: answer the open text question or be refused. */
      readonly only?: 'join' | 'answer'
      readonly meaning?: PromptMeaning
    } & PromptFields &
      InputAnswerOption &
      OwnerOption)
  | ({ readonly type: 'steer' } & PromptFields & InputAnswerOption & OwnerOption)
  | ({ readonly type: 'edit'; readonly messageId: string } & PromptFields)
  | ({ readonly type: 'reload'; readonly messageId?: string } & ActorField)
  | ({ readonly type: 'cancel'; readonly runId?: string; readonly queue?: boolean } & ReasonField)
  | InterruptCommand
  | ApproveCommand
  /** Archiving affects lists only. */
  | ({ readonly type: 'pause' | 'resume' | 'archive' | 'unarchive' } & ReasonField)
  | ({ readonly type: 'rename'; readonly title: string } & ActorField)
  | BranchCommand
  | ImportCommand
  /** Sent to the parent of a branch. Its only effect is to reserve the command id. */
  | { readonly type: 'promise_branch'; readonly childId: string }
  /** Sent to the parent. */
  | ChildStatusCommand
  /** A descendant accepted an answer that was given here. */
  | ChildAnsweredCommand
  /** The parent committed the notice with this sequence number. */
  | ParentNotifiedCommand
  | ({ readonly type: 'set_policy'; readonly policy: Policy } & ReasonField)
  | SignalCommand
  | FeedbackCommand
  | MemoryDecisionCommand
  | ChargeCommand
  | KeepAudioCommand
  | HeardCommand
  /** The process that played an answer aloud is gone. */
  | { readonly type: 'lose_listener' }
  | { readonly type: 'expire' }
  /** Processes everything that is due. Never refused. */
  | { readonly type: 'tick' }
  /** The process is stopping: stops in-process runs and parks them for the next process. */
  | { readonly type: 'hand_over' }
  /** Later crashes do not count against the session's durable run. */
  | ExcuseCommand
  | RunReport

export interface ExcuseCommand {
  readonly type: 'excuse_run'
  readonly reason: (typeof EXCUSE_REASONS)[number]
}

/** The listener heard only part of a spoken answer: withdraw the rest and end the run. */
export interface InterruptCommand extends ActorField {
  readonly type: 'interrupt'
  readonly runId: string
  readonly heardChars: number
  readonly audioMs?: number
}

export interface ParentNotifiedCommand {
  readonly type: 'parent_told'
  readonly seq: number
}

/** Answers a `waitFor` of the run in progress. */
export interface SignalCommand extends ActorField {
  readonly type: 'signal'
  readonly name: string
  readonly payload: Json
}

/** Reports of a shell about directives it received, in the format of its wire. */
export interface FeedbackCommand extends ActorField {
  readonly type: 'feedback'
  readonly entries: readonly JsonObject[]
}

/** Usage outside of runs, such as speech services. It counts against the session's budgets. */
export interface ChargeCommand {
  readonly type: 'charge'
  readonly usage: Payloads['usage']
}

export interface HeardCommand extends HeardMark {
  readonly type: 'heard'
  /** Playback has ended; the written answer stays. */
  readonly isOver?: true
}

/** Audio of a prompt or an answer, kept as an artifact if the session asks for it. */
export interface KeepAudioCommand {
  readonly type: 'keep_audio'
  readonly runId: string
  /** `user`: the spoken prompt of the run. `assistant`: the part of the answer that was heard. */
  readonly role: 'user' | 'assistant'
  /** A WAV file in base64. Each chunk is encoded on its own. */
  readonly chunks: readonly string[]
  readonly size: number
  readonly audioMs: number
  /** The recording exceeded the artifact limit. */
  readonly isCut?: true
}

/** Decides about a memory value that the agent proposed. */
export interface MemoryDecisionCommand extends ReasonField {
  readonly type: 'decide_memory'
  readonly proposalId: string
  readonly decision: 'accept' | 'reject'
  /** Replaces the proposed key or value. */
  readonly key?: string
  readonly value?: Json
  /** Absent: the value never expires. */
  readonly ttlMs?: number
  /** The proposed value, set by `bindProposal`. */
  readonly proposed?: Json
}

export interface BranchCommand extends OwnerOption, ReasonField {
  readonly type: 'branch'
  readonly parent: BranchParent
  readonly cursor?: string
  readonly title?: string
  /** Replaces parent settings that only one session may use. */
  readonly settings?: JsonObject
  readonly artifacts?: readonly PreparedArtifact[]
  /** The first prompt of the branch. Null repeats the parent's last prompt before the event; absent leaves the branch idle. */
  readonly prompt?: string | null
  /** The prompts of a replay, queued in order. Replaces `prompt`. */
  readonly prompts?: readonly ReplayPrompt[]
  /** Replaces the policy inherited from the parent. */
  readonly policy?: Policy
  /** The parent event was imported from a file. */
  readonly imported?: true
}

export interface ImportCommand extends OwnerOption, ActorField {
  readonly type: 'import'
  /** The parent event, if the imported session is a branch. */
  readonly parent: BranchParent | null
  /** Already validated, with their numbers and times from the file. */
  readonly events: readonly AnyEvent[]
  readonly source: { readonly agent: string; readonly id: string }
  readonly digest: string
  /** Imported settings that apply here. */
  readonly settings: JsonObject
  /** The file has only the beginning of the log. */
  readonly partial?: true
}

export interface ReplayPrompt {
  readonly text: string
  readonly input?: Json
}

export type ChildStatusCommand = { readonly type: 'child_status' } & Omit<ChildNotice, 'parentId' | 'parentAgent'>

export type ChildAnsweredCommand = { readonly type: 'child_answered' } & Pick<
  ApproveCommand,
  'approvalId' | 'decision' | 'reason' | 'actor' | 'isActorClaimed' | 'answers' | 'values'
>

/** `answers` and `values` answer a question. Absent: its default. */
export interface ApproveCommand extends ReasonField, GivenAnswer {
  readonly type: 'approve'
  readonly approvalId: string
  readonly decision: 'approved' | 'denied'
  /** Edited arguments. Absent: as requested. */
  readonly args?: JsonObject
  /** SHA-256 of the approved tool and arguments, set by `bindApproval`. */
  readonly digest?: string
  /** Why the edited arguments do not fit the tool, as a sentence. Set by `bindApproval`. */
  readonly argumentsProblem?: string
  /** Deliver the answer to the call, then pause before the next step. */
  readonly pause?: boolean
}

/** Dropped unless its run and attempt are current. */
export interface RunReport {
  readonly type: 'report'
  readonly runId: string
  readonly attempt: number
  /** Position in the runner's stream; committed positions are skipped. Null for the server's own reports. */
  readonly frame: number | null
  readonly items: readonly ReportItem[]
}

export type ReportItem =
  | { readonly type: 'event'; readonly event: Pick<AnyEventDraft, 'type' | 'payload'> }
  | {
      readonly type: 'started'
      readonly handle?: Json
      readonly steer?: boolean
      /** If stopped, the run reports a handle for the next attempt. */
      readonly resumable?: boolean
      /** Any owner can continue the run from the log in the middle of a turn. */
      readonly durable?: boolean
      /** Absent: the run is in the server's process. */
      readonly sandbox?: Payloads['sandbox_notice']
      /** Set if known before the engine reports them. */
      readonly provider?: string
      readonly model?: string
    }
  /** Why the run waits for a sandbox, as a sentence. Null: the wait is over. */
  | { readonly type: 'sandbox_awaited'; readonly reason: string | null }
  | ToolApprovalRequest
  /** Only trusted from agents in the server process. From a sandbox it would be a mere claim. */
  | { readonly type: 'policy_decision'; readonly payload: Payloads['policy_decision'] }
  | ({ readonly type: 'artifact' } & ArtifactContent)
  | { readonly type: 'finished'; readonly result?: Json; readonly resume?: string }
  | ({ readonly type: 'failed' } & RunFailure)
  /** Another owner continues the run, or the run continues after a wait. Absent `pass`: after a crash, with no other run. */
  | { readonly type: 'resumed'; readonly pass?: RunPass }
  /** A durable run waits for news or for the deadline. News after event `seen` keep it awake. */
  | { readonly type: 'waiting'; readonly until: number | null; readonly seen: number }
  /** A durable run is about to call its model: a run over budget stops here. */
  | { readonly type: 'next_step' }
  /** Calls of a durable run are about to start sessions. The remaining budgets are split into `shares`. */
  | { readonly type: 'delegate'; readonly children: readonly ChildTask[]; readonly shares: number }
  /** Withdraws text of a durable run after `keep`. By default, the text after its last finished step. */
  | { readonly type: 'supersede'; readonly keep?: TextMark | 'before_last_step' }
  /** Stores a value in session memory; null removes it. `ttlMs` null: it never expires. */
  | { readonly type: 'memory'; readonly key: string; readonly value: Json; readonly ttlMs: number | null }
  /** The run's process died, or the runner does not know the run. */
  | { readonly type: 'lost'; readonly message: string }
  | { readonly type: 'stopped'; readonly resume?: string }
  /** A resume handle that the engine reported in the middle of a turn. */
  | { readonly type: 'resume'; readonly handle: string }
  | { readonly type: 'approval_delivered'; readonly requestId: string }
  /** The run no longer needs an answer. */
  | { readonly type: 'withdraw'; readonly requestId: string }
  | { readonly type: 'steer_delivered'; readonly messageId: string }

export interface RunFailure {
  readonly message: string
  readonly transient?: boolean
  readonly reason?: string
  readonly resume?: string
}

/** A call that runs as a session of its own. */
export interface ChildTask {
  readonly toolCallId: string
  readonly agent: string
  readonly id: string
}

/** A position in a run's answer: characters of text and number of parts. */
export interface TextMark {
  readonly chars: number
  readonly parts: number
}

/** A tool call that needs approval, a question, or a durable call whose outcome was lost in a crash. */
export interface ToolApprovalRequest {
  readonly type: 'ask'
  readonly kind?: RunnerApprovalKind | 'unknown_outcome'
  readonly toolCallId: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly reason: string
  readonly expiresMs?: number
  readonly digest: string
  /** Absent: as declared by the call in the log. Null: undeclared. */
  readonly effect?: ToolEffect | null
  readonly risk?: ApprovalRisk
  readonly audience?: string
  /** The rule that an approval for the rest of the session satisfies. */
  readonly grants?: string
  /** The arguments cannot be edited. */
  readonly fixed?: boolean
  /** The server makes this call for an engine, so the run receives the answer to any kind of approval. */
  readonly served?: true
  /** Questions have one of the two; `questionReport` builds the request. */
  readonly questions?: readonly Question[]
  readonly schema?: JsonObject
  /** Applied when the question expires, with the digest of the call including it. */
  readonly default?: JsonObject
  readonly defaultDigest?: string
}

export const PROMPT_COMMANDS: ReadonlySet<Command['type']> = new Set(['submit', 'steer', 'edit'])

/** A closed set. Each surface maps every code in one table. */
export const REFUSAL_MESSAGES = {
  session_not_found: 'There is no such session.',
  session_ended: 'The session has ended; branch from it to go on, or begin a new session.',
  session_exists: 'The session exists already.',
  prompt_empty: 'The prompt is empty.',
  prompt_too_long: 'The prompt is too long: a command has at most 1.5 million characters, counted as JSON.',
  too_large: 'The command is too large: it may have 1.5 million characters, counted as JSON, and 100 levels.',
  queue_full: 'Too many prompts are waiting.',
  busy: 'The session has too much to do; try again.',
  session_full: 'The session holds too much. Branch from an earlier event, or begin a new session.',
  run_active: 'A run is in progress; cancel it first.',
  message_not_found: 'There is no such message.',
  approval_not_found: 'There is no such approval.',
  approval_settled: 'The approval was settled otherwise.',
  arguments_fixed: 'The arguments of this call cannot change. Approve it as it is, or deny it.',
  arguments_invalid: 'The arguments do not fit the tool.',
  invalid_answer: 'The answer does not fit the question.',
  answer_missing: 'This is a question without a default: answer it (over HTTP with `/answer`), or reject it.',
  not_a_question: 'The approval is not a question: approve or reject it.',
  already_paused: 'The session is paused already.',
  not_paused: 'The session is not paused.',
  signals_full: 'The run has too many signals: at most 1,000, of 8 million characters together.',
  not_waiting: 'No run of the session takes signals now.',
  proposal_not_found: 'There is no such proposal.',
  proposal_decided: 'The proposal was decided already.',
  memory_full:
    'The memory has 256 keys. Accept the proposal under a key that is there already, or let the agent delete one.',
  not_expired: 'The session has not expired.',
  confirm_import:
    'The session was imported from a file. Read its prompts, and repeat the request with a `workspace` and the `prompts_digest` of the session.',
  bad_branch_point: 'The branch point is not in the parent.',
  command_conflict: 'This command id was used for another body.',
} as const
export type RefusalCode = keyof typeof REFUSAL_MESSAGES

export interface Refusal {
  readonly refused: RefusalCode
  readonly message: string
  /** The settlement in effect, if this answer came too late. */
  readonly settlement?: Settlement
}
export const refuse = (refused: RefusalCode, message: string = REFUSAL_MESSAGES[refused]): Refusal => ({
  refused,
  message,
})

/** `decidedBy` is null if no person decided, or the credential names no user. */
export interface Settlement {
  readonly decision: ApprovalDecision
  readonly decidedBy: string | null
  readonly decidedByClaimed?: true
  readonly decidedAt: number
}

/** `started` and `queued` prompts get their own run; `steered` ones join the run in progress. */
export type PromptAnswer = {
  readonly runId: string
  readonly messageId: string
  readonly delivery: 'started' | 'queued' | 'steered'
  /** The question that the prompt answered. */
  readonly approvalId?: string
}

type NoAnswer = { readonly [name in never]: never }

/** Plain JSON, stored under the command id: a repeated command gets the same answer. */
export type Answers = {
  readonly create: { readonly sessionId: string }
  readonly submit: PromptAnswer
  readonly steer: PromptAnswer
  readonly edit: PromptAnswer
  readonly reload: PromptAnswer
  /** `cancelled` is false if there was nothing to cancel. */
  readonly cancel: { readonly runId: string | null; readonly cancelled: boolean }
  /** `withdrawnChars` is 0 if the whole answer was heard. */
  readonly interrupt: { readonly runId: string; readonly withdrawnChars: number; readonly cancelled: boolean }
  readonly approve: { readonly approvalId: string; readonly decision: 'approved' | 'denied' }
  readonly pause: { readonly paused: true }
  readonly resume: { readonly paused: false }
  readonly archive: { readonly archived: true }
  readonly unarchive: { readonly archived: false }
  readonly rename: { readonly title: string }
  /** Includes the fields of `PromptAnswer` if the branch has a prompt. */
  readonly branch: {
    readonly sessionId: string
    readonly parent: { readonly agent: string; readonly id: string; readonly seq: number }
    readonly prompts?: number
  } & Partial<PromptAnswer>
  readonly import: { readonly sessionId: string }
  readonly promise_branch: { readonly childId: string }
  readonly child_status: NoAnswer
  readonly child_answered: NoAnswer
  readonly parent_told: NoAnswer
  readonly set_policy: NoAnswer
  readonly signal: { readonly runId: string }
  readonly feedback: { readonly entries: number }
  readonly decide_memory: {
    readonly proposalId: string
    readonly decision: 'accepted' | 'rejected'
    readonly key: string
  }
  readonly charge: NoAnswer
  /** Null if the session keeps no audio or has no such message. */
  readonly heard: NoAnswer
  readonly lose_listener: NoAnswer
  readonly keep_audio: { readonly artifactId: string | null }
  readonly expire: NoAnswer
  readonly tick: NoAnswer
  readonly hand_over: NoAnswer
  readonly excuse_run: NoAnswer
  readonly report: { readonly dropped?: 'run' | 'frame' | 'budget' | 'stopped' }
}

/** `seq` is the head after the command. */
export type AnswerTo<C extends Command> = Answers[C['type']] & { readonly seq: number }
export type Answer = AnswerTo<Command>

export const isRefusal = (outcome: object): outcome is Refusal => 'refused' in outcome
