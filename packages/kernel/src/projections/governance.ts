// Rules that a person approved and tools that the model found. They outlive turns and restarts, and branches inherit them.
import { omit, ownProperty } from '@bridle/events/json'
import type { Projection } from './projection.ts'

/** Agents have a few dozen rules; rules that no longer exist make room first. */
export const SESSION_GRANTS_MAX = 200
/** With more, a request would hold more schemas than conversation. */
export const FOUND_TOOLS_MAX = 40

export interface Governance {
  readonly grants: readonly SessionFact[]
  /** Open questions that grant a rule if approved. */
  readonly questions: { readonly [requestId: string]: SessionFact & { readonly digest: string } }
  readonly foundTools: readonly SessionFact[]
  /** The first run with a result stored as an artifact. */
  readonly resultArtifactRun: string | null
}

/** Withdrawn if an edit rewinds the run. */
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
      // Approval of edited arguments is not consent to the rule's other calls.
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
        // An edit rewinds every later run, too.
        resultArtifactRun: isResultKept ? state.resultArtifactRun : null,
      }
    },

    branched: (state, { payload }) => withoutQuestions(payload.imported ? withoutGrants(state) : state),
    // The file's approvals were not given here.
    session_imported: (state) => withoutQuestions(withoutGrants(state)),
  },
}

export const hasFact = (facts: readonly SessionFact[], name: string): boolean =>
  facts.some((fact) => fact.name === name)

const withFact = (facts: readonly SessionFact[], fact: SessionFact): readonly SessionFact[] =>
  hasFact(facts, fact.name) ? facts : [...facts, fact].slice(-SESSION_GRANTS_MAX)
