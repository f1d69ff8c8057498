// Decisions that hold for the rest of a session of a model agent: rules that a person has approved once, and tools that the model
// has found. Also whether there are results to read in an artifact. They outlive turns, restarts and compaction, and a branch has them.
import { omit, ownProperty } from '@bridle/events/json'
import type { Projection } from './projection.ts'

/** Rules that a session has granted: an agent has a few dozen rules, and those that it has no more take the oldest places. */
export const SESSION_GRANTS_MAX = 200
/** Tools that searches have added in a session: with more, a request holds more schemas than conversation. */
export const FOUND_TOOLS_MAX = 40

export interface Governance {
  /** Rules whose question a person has approved: they ask no more. */
  readonly grants: readonly SessionFact[]
  /** Open questions whose approval is a grant, by their id. */
  readonly questions: { readonly [requestId: string]: SessionFact & { readonly digest: string } }
  /** Tools that searches have added, in their order. */
  readonly foundTools: readonly SessionFact[]
  /** The run that first had a result which became an artifact; null: none. */
  readonly resultArtifactRun: string | null
}

/** A name, and the run in which it came: an edit that takes the run back takes the name back. */
export interface SessionFact {
  readonly name: string
  readonly runId: string
}

const withoutQuestions = (state: Governance): Governance =>
  Object.keys(state.questions).length === 0 ? state : { ...state, questions: {} }

const withoutGrants = (state: Governance): Governance => (state.grants.length === 0 ? state : { ...state, grants: [] })

export const governance: Projection<Governance> = {
  initial: { grants: [], questions: {}, foundTools: [], resultArtifactRun: null },
  on: {
    approval_required: (state, { run = '', payload: { request_id, grants, requested_digest = '' } }) =>
      grants === undefined
        ? state
        : {
            ...state,
            questions: { ...state.questions, [request_id]: { name: grants, runId: run, digest: requested_digest } },
          },

    approval_decided: (state, { payload: { request_id, decision, approved_digest } }) => {
      const question = ownProperty(state.questions, request_id)
      if (!question) return state
      const { name, runId, digest } = question
      const questions = omit(state.questions, request_id)
      // A person who changed the arguments has not agreed to the calls that the rule is about.
      const isGranted = decision === 'approved' && (approved_digest ?? digest) === digest
      return isGranted
        ? { ...state, questions, grants: withFact(state.grants, { name, runId }) }
        : { ...state, questions }
    },

    turn_start_tools: (state, { run = '', payload: { found = [] } }) => {
      const more = [...new Set(found)].filter((name) => !hasFact(state.foundTools, name))
      if (more.length === 0) return state
      const facts = more.map((name) => ({ name, runId: run }))
      return { ...state, foundTools: [...state.foundTools, ...facts].slice(-FOUND_TOOLS_MAX) }
    },

    artifact_published: (state, { run = '', payload: { kind, tool_call_id } }) =>
      state.resultArtifactRun === null && kind === 'tool_result' && tool_call_id !== undefined
        ? { ...state, resultArtifactRun: run }
        : state,

    rewound: (state, { payload: { run_ids } }) => {
      const isKept = ({ runId }: SessionFact) => !run_ids.includes(runId)
      const isResultKept = state.resultArtifactRun === null || !run_ids.includes(state.resultArtifactRun)
      if (state.grants.every(isKept) && state.foundTools.every(isKept) && isResultKept) return state
      return {
        ...state,
        grants: state.grants.filter(isKept),
        foundTools: state.foundTools.filter(isKept),
        // An edit takes back every run behind the first that it takes back.
        resultArtifactRun: isResultKept ? state.resultArtifactRun : null,
      }
    },

    branched: (state, { payload }) => withoutQuestions(payload.imported ? withoutGrants(state) : state),
    // Nobody here has approved what the file says that somebody approved.
    session_imported: (state) => withoutQuestions(withoutGrants(state)),
  },
}

export const hasFact = (facts: readonly SessionFact[], name: string): boolean =>
  facts.some((fact) => fact.name === name)

const withFact = (facts: readonly SessionFact[], fact: SessionFact): readonly SessionFact[] =>
  hasFact(facts, fact.name) ? facts : [...facts, fact].slice(-SESSION_GRANTS_MAX)
