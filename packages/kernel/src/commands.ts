// The commands that callers send to a session, and the reports that runners send. Both pass the same inbox and `decide`.

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

/** The settings of a new session, used when the command is its first. */
export interface SessionOptions {
  readonly kind?: 'chat' | 'background'
  readonly title?: string
  readonly maxRetries?: number
  readonly expiresAt?: number | null
  readonly policy?: Policy
  readonly settings?: JsonObject
  readonly parentSessionId?: string | null
  /** The session does a task of its parent's run; absent: it is independent of the runs of its parent. */
  readonly delegation?: TaskDelegation
  /** Artifacts that the same append publishes: a task graph, a workspace. */
  readonly artifacts?: readonly PreparedArtifact[]
}

/** The origin of a session that does a task for a run of its parent. */
export interface TaskDelegation {
  /** The agent of the parent: sessions of several agents may share an id. */
  readonly agent: string
  /** How many such sessions are above this one, itself included. */
  readonly depth: number
}

export interface ArtifactContent {
  readonly name: string
  readonly kind?: string
  readonly contentType: string
  readonly text: string
  /** Why there is one: what a person reads who decides about a proposal. */
  readonly reason?: string
}

export type PreparedArtifact = Required<Omit<ArtifactContent, 'reason'>>

/** The user who owns the session that the command may create. */
export interface OwnerOption {
  readonly owner?: string
}

/** The prompt as the answer to the question that is open: `Host.send` adds it, and surfaces do not. */
export interface InputAnswerOption {
  readonly inputAnswer?: InputAnswer
}

/** The answer that a spoken prompt stands for. If the question is already closed, the prompt is a normal one. */
export interface PromptMeaning extends GivenAnswer {
  readonly approvalId: string
}

export interface InputAnswer extends GivenAnswer {
  readonly approvalId: string
  readonly digest: string
}

/** The person who acts. */
export interface ActorField {
  readonly actor?: string
  /** The caller supplied the name, since its credential has no user. */
  readonly isActorClaimed?: true
}

/** The person who acts, and why. */
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
      /** A person has said it: an agent with a voice answers aloud. */
      readonly spoken?: true
      /** Only as the first command of a session: starting one must not add to another. */
      readonly fresh?: true
      /** Refused where there is no session yet, or no longer. */
      readonly existing?: true
      /**
       * `join`: a run in progress already does what the prompt asks for, so no second one is queued behind it.
       * `answer`: the prompt answers the open question for a text. `approval_not_found` if there is none.
       */
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
  /** Only lists change when a session is archived. */
  | ({ readonly type: 'pause' | 'resume' | 'archive' | 'unarchive' } & ReasonField)
  /** Gives the session a title, which replaces the beginning of its first prompt. */
  | ({ readonly type: 'rename'; readonly title: string } & ActorField)
  | BranchCommand
  | ImportCommand
  /** Sent to the parent: reserves the command id there and changes nothing else. */
  | { readonly type: 'promise_branch'; readonly childId: string }
  /** Sent to the parent of a session: the status of the child. */
  | ChildStatusCommand
  /** A session below this one has taken the answer that a caller gave here. */
  | ChildAnsweredCommand
  /** The parent has committed the notice with this number. */
  | ParentNotifiedCommand
  | ({ readonly type: 'set_policy'; readonly policy: Policy } & ReasonField)
  | SignalCommand
  | FeedbackCommand
  | MemoryDecisionCommand
  | ChargeCommand
  | KeepAudioCommand
  | HeardCommand
  /** The process that spoke an answer is gone, and its listener with it. */
  | { readonly type: 'lose_listener' }
  | { readonly type: 'expire' }
  /** Time has passed: everything due happens now. The supervisor sends it, and it is never refused. */
  | { readonly type: 'tick' }
  /** The process is stopping: a run that lives in it is stopped and kept for the next process. */
  | { readonly type: 'hand_over' }
  /** Crashes from here on do not count against the durable run of the session. */
  | ExcuseCommand
  | RunReport

export interface ExcuseCommand {
  readonly type: 'excuse_run'
  readonly reason: (typeof EXCUSE_REASONS)[number]
}

/** The listener of a spoken answer has heard only a part of it: the rest is withdrawn, and its run ends. */
export interface InterruptCommand extends ActorField {
  readonly type: 'interrupt'
  readonly runId: string
  /** The characters of the answer that were heard. */
  readonly heardChars: number
  /** The milliseconds of its audio that were heard. */
  readonly audioMs?: number
}

export interface ParentNotifiedCommand {
  readonly type: 'parent_told'
  readonly seq: number
}

/** A message by name for the run in progress: it answers the run's `waitFor`. */
export interface SignalCommand extends ActorField {
  readonly type: 'signal'
  readonly name: string
  readonly payload: Json
}

/** A shell's claims about directives that it got, each as the profile of its wire has it. */
export interface FeedbackCommand extends ActorField {
  readonly type: 'feedback'
  readonly entries: readonly JsonObject[]
}

/** Usage that no run reports, such as that of services which hear and speak: it counts against the budgets of the session. */
export interface ChargeCommand {
  readonly type: 'charge'
  readonly usage: Payloads['usage']
}

/** How much of a spoken answer was heard so far. */
export interface HeardCommand extends HeardMark {
  readonly type: 'heard'
  /** The listener hears no more of it, and the answer stays as it is written. */
  readonly isOver?: true
}

/** The audio of a turn or of an answer, which becomes an artifact where the session asks for it. */
export interface KeepAudioCommand {
  readonly type: 'keep_audio'
  readonly runId: string
  /** `user`: the prompt of the run was said so. `assistant`: so much of its answer was heard. */
  readonly role: 'user' | 'assistant'
  /** A WAV file as base64, in pieces that are each whole in themselves. */
  readonly chunks: readonly string[]
  /** The bytes of the file. */
  readonly size: number
  readonly audioMs: number
  /** The audio was longer than an artifact may be. */
  readonly isCut?: true
}

/** Decides about a value that the agent proposes for the memory. */
export interface MemoryDecisionCommand extends ReasonField {
  readonly type: 'decide_memory'
  readonly proposalId: string
  readonly decision: 'accept' | 'reject'
  /** Another key or value than the proposed one; absent = as proposed. */
  readonly key?: string
  readonly value?: Json
  /** The time after which the value is forgotten; absent = never. */
  readonly ttlMs?: number
  /** The proposed value; `Host.send` fills it in with `bindProposal`. */
  readonly proposed?: Json
}

export interface BranchCommand extends OwnerOption, ReasonField {
  readonly type: 'branch'
  readonly parent: BranchParent
  /** The cursor that the caller named, if any. */
  readonly cursor?: string
  readonly title?: string
  /** Replaces the parent's settings where these name something that only one session may have. */
  readonly settings?: JsonObject
  readonly artifacts?: readonly PreparedArtifact[]
  /** The first prompt of the branch; null repeats the parent's last prompt before the event. Absent: the branch is idle. */
  readonly prompt?: string | null
  /** The prompts of a replay, in place of `prompt`: all of them are queued, in this order. */
  readonly prompts?: readonly ReplayPrompt[]
  /** Replaces the policy that the parent has at the event. */
  readonly policy?: Policy
  /** The event came from a file. */
  readonly imported?: true
}

/** The first command of a session whose log comes from a file. */
export interface ImportCommand extends OwnerOption, ActorField {
  readonly type: 'import'
  /** The event that the log continues from, where the session is a branch. */
  readonly parent: BranchParent | null
  /** The events with the numbers and times that they have in the file, checked already. */
  readonly events: readonly AnyEvent[]
  readonly source: { readonly agent: string; readonly id: string }
  readonly digest: string
  /** The settings of the file that hold here. */
  readonly settings: JsonObject
  /** The file has only the beginning of the log. */
  readonly partial?: true
}

/** A prompt that a session was asked, to ask it again. */
export interface ReplayPrompt {
  readonly text: string
  readonly input?: Json
}

export type ChildStatusCommand = { readonly type: 'child_status' } & Omit<ChildNotice, 'parentId' | 'parentAgent'>

export type ChildAnsweredCommand = { readonly type: 'child_answered' } & Pick<
  ApproveCommand,
  'approvalId' | 'decision' | 'reason' | 'actor' | 'isActorClaimed' | 'answers' | 'values'
>

/** `answers` and `values`: to a question. Absent: its default. */
export interface ApproveCommand extends ReasonField, GivenAnswer {
  readonly type: 'approve'
  readonly approvalId: string
  readonly decision: 'approved' | 'denied'
  /** Edited arguments; absent = as requested. */
  readonly args?: JsonObject
  /** SHA-256 of the approved tool and arguments; `Host.send` fills it in with `bindApproval`. */
  readonly digest?: string
  /** Why the edited arguments do not fit the tool, as a sentence; `Host.send` fills it in with `bindApproval`. */
  readonly argumentsProblem?: string
  /** The call gets its answer, and the session pauses before its next step. */
  readonly pause?: boolean
}

/** A runner's report about its run. Dropped when the run or attempt is no longer the current one. */
export interface RunReport {
  readonly type: 'report'
  readonly runId: string
  readonly attempt: number
  /** Position in the runner's stream; a committed position is skipped. Null: the report is the server's own. */
  readonly frame: number | null
  readonly items: readonly ReportItem[]
}

export type ReportItem =
  | { readonly type: 'event'; readonly event: Pick<AnyEventDraft, 'type' | 'payload'> }
  | {
      readonly type: 'started'
      readonly handle?: Json
      readonly steer?: boolean
      /** When stopped, the run reports a handle from which the next attempt continues. */
      readonly resumable?: boolean
      /** Any owner continues the run from the log, in the middle of its turn. */
      readonly durable?: boolean
      /** The sandbox of the run; absent: the run is in the server's process. */
      readonly sandbox?: Payloads['sandbox_notice']
      /** The provider and model, if known before the engine reports them. */
      readonly provider?: string
      readonly model?: string
    }
  /** Why the run waits for a sandbox, as a sentence; null: the wait is over. */
  | { readonly type: 'sandbox_awaited'; readonly reason: string | null }
  | ToolApprovalRequest
  /** A rule of an agent that runs in the server decided a call. The report of a sandbox would be a claim. */
  | { readonly type: 'policy_decision'; readonly payload: Payloads['policy_decision'] }
  | ({ readonly type: 'artifact' } & ArtifactContent)
  | { readonly type: 'finished'; readonly result?: Json; readonly resume?: string }
  | ({ readonly type: 'failed' } & RunFailure)
  /** A durable run is resumed from the log, by another owner or after a wait. Absent `pass`: after a crash, and with no other run. */
  | { readonly type: 'resumed'; readonly pass?: RunPass }
  /**
   * A durable run can only wait: until news comes, or until the time. `seen` is the last event that the runner knows: news after
   * it keep the run awake.
   */
  | { readonly type: 'waiting'; readonly until: number | null; readonly seen: number }
  /** A durable run is about to ask its model: a run over its budget stops here. */
  | { readonly type: 'next_step' }
  /** Calls of a durable run are about to start sessions of their own. The budgets that are left are split into `shares`. */
  | { readonly type: 'delegate'; readonly children: readonly ChildTask[]; readonly shares: number }
  /** Withdraws text of a durable run: after `keep`, that of its last finished step, or by default what came after that step. */
  | { readonly type: 'supersede'; readonly keep?: TextMark | 'before_last_step' }
  /** Keeps a value in the memory of the session; null removes it. `ttlMs` null: it never expires. */
  | { readonly type: 'memory'; readonly key: string; readonly value: Json; readonly ttlMs: number | null }
  /** The run is gone: its process died, or the runner does not know it. */
  | { readonly type: 'lost'; readonly message: string }
  | { readonly type: 'stopped'; readonly resume?: string }
  /** A handle from which the engine can continue, reported in the middle of a turn. */
  | { readonly type: 'resume'; readonly handle: string }
  | { readonly type: 'approval_delivered'; readonly requestId: string }
  /** The run no longer needs the answer to its question. */
  | { readonly type: 'withdraw'; readonly requestId: string }
  | { readonly type: 'steer_delivered'; readonly messageId: string }

export interface RunFailure {
  readonly message: string
  readonly transient?: boolean
  readonly reason?: string
  readonly resume?: string
}

/** A call that is done by a session of its own. */
export interface ChildTask {
  readonly toolCallId: string
  readonly agent: string
  /** The id of the session. */
  readonly id: string
}

/** A place in the answer of a run: the length of its text, and of its list of parts. */
export interface TextMark {
  readonly chars: number
  readonly parts: number
}

/** A tool call that needs an approval, a question, or a call of a durable run whose outcome a crash left unknown. */
export interface ToolApprovalRequest {
  readonly type: 'ask'
  /** Default: tool. */
  readonly kind?: RunnerApprovalKind | 'unknown_outcome'
  readonly toolCallId: string
  readonly tool: string
  readonly arguments: JsonObject
  readonly reason: string
  readonly expiresMs?: number
  readonly digest: string
  /** The declared effect; absent = as the call in the log declares it, null = none is declared. */
  readonly effect?: ToolEffect | null
  readonly risk?: ApprovalRisk
  readonly audience?: string
  /** The rule that asks, where an approval holds for the rest of the session. */
  readonly grants?: string
  /** The runner makes the call with these arguments or not at all. */
  readonly fixed?: boolean
  /** A question has questions, or the schema of a form. `questionReport` makes such a request. */
  readonly questions?: readonly Question[]
  readonly schema?: JsonObject
  /** The answers or values that apply when the question expires, and the digest of the call with them. */
  readonly default?: JsonObject
  readonly defaultDigest?: string
}

/** Commands that add a caller's text to the session. */
export const PROMPT_COMMANDS: ReadonlySet<Command['type']> = new Set(['submit', 'steer', 'edit'])

/** A closed set: each surface maps all of them to its own wire in one table. */
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
  /** The answer that stands, where another one comes too late. */
  readonly settlement?: Settlement
}
export const refuse = (refused: RefusalCode, message: string = REFUSAL_MESSAGES[refused]): Refusal => ({
  refused,
  message,
})

/** The answer to an approval: by whom and when. Null = nobody, or not named. */
export interface Settlement {
  readonly decision: ApprovalDecision
  readonly decidedBy: string | null
  /** The caller supplied the name, since its credential has no user. */
  readonly decidedByClaimed?: true
  readonly decidedAt: number
}

/** The run of an accepted prompt. `started` and `queued` have a run of their own; `steered` joins the run in progress. */
export type PromptAnswer = {
  readonly runId: string
  readonly messageId: string
  readonly delivery: 'started' | 'queued' | 'steered'
  /** The question that the prompt has answered; absent = it has answered none. */
  readonly approvalId?: string
}

type NoAnswer = { readonly [name in never]: never }

/** The answer to each command. Plain JSON: it is stored under the command id, and a repeated command gets it again. */
export type Answers = {
  readonly create: { readonly sessionId: string }
  readonly submit: PromptAnswer
  readonly steer: PromptAnswer
  readonly edit: PromptAnswer
  readonly reload: PromptAnswer
  /** `cancelled` is false where nothing was left to cancel. */
  readonly cancel: { readonly runId: string | null; readonly cancelled: boolean }
  /** `withdrawnChars` is 0 where all of the answer was heard. */
  readonly interrupt: { readonly runId: string; readonly withdrawnChars: number; readonly cancelled: boolean }
  readonly approve: { readonly approvalId: string; readonly decision: 'approved' | 'denied' }
  readonly pause: { readonly paused: true }
  readonly resume: { readonly paused: false }
  readonly archive: { readonly archived: true }
  readonly unarchive: { readonly archived: false }
  readonly rename: { readonly title: string }
  /** With a prompt, the branch also answers as a prompt does. */
  readonly branch: {
    readonly sessionId: string
    readonly parent: { readonly agent: string; readonly id: string; readonly seq: number }
    /** How many prompts of a replay were queued. */
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
  /** Null: the session does not ask for audio, or has no such message. */
  readonly heard: NoAnswer
  readonly lose_listener: NoAnswer
  readonly keep_audio: { readonly artifactId: string | null }
  readonly expire: NoAnswer
  readonly tick: NoAnswer
  readonly hand_over: NoAnswer
  readonly excuse_run: NoAnswer
  /** `dropped` says why nothing of the report counts. */
  readonly report: { readonly dropped?: 'run' | 'frame' | 'budget' | 'stopped' }
}

/** The answer to a command; `seq` is the head after it. */
export type AnswerTo<C extends Command> = Answers[C['type']] & { readonly seq: number }
export type Answer = AnswerTo<Command>

export const isRefusal = (outcome: object): outcome is Refusal => 'refused' in outcome
