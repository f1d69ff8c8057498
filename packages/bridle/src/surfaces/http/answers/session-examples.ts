// Examples of sessions, for /openapi.json. A test checks each against its schema.
import type { ArtifactSummary, CancelReceipt, SessionCard, SessionDetail, SessionPage, SignalReceipt } from '../wire.ts'
import { healthExample } from './health-schemas.ts'
import { messageExamples } from './message-schemas.ts'

const CREATED = '2026-11-16T09:00:00.000Z'
const UPDATED = '2026-11-16T09:00:04.000Z'

export const sessionCardExample: SessionCard = {
  id: 'chat-1',
  sessionId: 'chat-1',
  session_id: 'chat-1',
  agent: 'scripted',
  agent_profile: 'scripted',
  kind: 'chat',
  status: 'idle',
  title: 'What is in this folder?',
  createdAt: CREATED,
  updatedAt: UPDATED,
  created_at: CREATED,
  updated_at: UPDATED,
  lastEventId: 'ev-9',
  queued: 0,
  runId: null,
  lastError: null,
  last_error: null,
  provider: null,
  model: null,
  permission_mode: 'normal',
  approval_mode: 'on_request',
  think_level: null,
  policy_path: 'execution_mode -> approval_policy -> runtime_callbacks',
  sandbox_mode: null,
  sandbox_isolation: null,
  workspace_id: null,
  task_graph_id: null,
  engine: 'scripted',
  runner_kind: 'in_process',
  approval_request_id: null,
  process_id: null,
  attempt_count: 1,
  max_retries: 0,
  expires_at: null,
  ended_at: null,
  last_heartbeat_at: UPDATED,
  parent_session_id: null,
  branch_source_event_id: null,
  branch_resume_cursor: null,
  retry_at: null,
  resume_context: { kind: 'turn', event_id: 'ev-8', resume_cursor: 'turn:chat-1:8' },
  archived: false,
  approvals: [],
  health: healthExample,
}

export const cancelReceiptExample: CancelReceipt = { ...sessionCardExample, runId: 'r-2', cancelled: true }

export const signalReceiptExample: SignalReceipt = { ...sessionCardExample, runId: 'r-2' }

export const artifactExample: ArtifactSummary = {
  id: 'art-7',
  artifact_id: 'art-7',
  name: 'report.md',
  kind: 'file',
  artifact_type: 'file',
  contentType: 'text/markdown',
  content_type: 'text/markdown',
  size: 1_204,
  event_id: 'ev-7',
  createdAt: UPDATED,
  created_at: UPDATED,
}

export const sessionDetailExample: SessionDetail = {
  ...sessionCardExample,
  messages: messageExamples,
  artifacts: [artifactExample],
  checkpoints: [],
  subagents: [],
  resume_points: [
    { kind: 'turn', event_id: 'ev-8', resume_cursor: 'turn:chat-1:8', summary: 'Two files.', timestamp: UPDATED },
  ],
  usage: {
    input_tokens: 1_200,
    output_tokens: 80,
    total_tokens: 1_280,
    cost_usd: 0.004,
    context_usage_pct: 3,
    model_calls: 1,
  },
  steps: [
    {
      step: 'plan.1',
      title: 'Read the folder',
      status: 'done',
      started_at: CREATED,
      ended_at: UPDATED,
      event_id: 'ev-6',
    },
  ],
  step: { index: 1, total: 1, title: 'Read the folder', status: 'done' },
  citations: [{ event_id: 'ev-4', id: 'd1', title: 'Notes' }],
  context_pack: {
    event_id: 'ev-4',
    timestamp: UPDATED,
    query: 'What is in this folder?',
    tokens: 320,
    documents: [{ id: 'd1', title: 'Notes', tokens: 320, why: 'it is the best match' }],
    left_out: [],
  },
  guardrail: null,
  context_warnings: [],
  compactions: [],
  memory_proposals: [],
  channel: {
    channel_id: 'session:chat-1',
    participants: [
      { participant_id: 'runtime', kind: 'runtime', name: 'Bridle' },
      { participant_id: 'agent:scripted', kind: 'agent', name: 'scripted' },
    ],
    envelopes: [
      {
        event_id: 'ev-5',
        seq: 5,
        timestamp: UPDATED,
        sender_id: 'agent:scripted',
        recipient_ids: ['runtime'],
        event_type: 'response',
        summary: 'Two files.',
        payload: { text: 'Two files.' },
      },
    ],
  },
}

export const sessionPageExample: SessionPage = {
  sessions: [
    {
      id: 'chat-1',
      sessionId: 'chat-1',
      session_id: 'chat-1',
      agent: 'scripted',
      kind: 'chat',
      status: 'idle',
      title: 'What is in this folder?',
      createdAt: CREATED,
      updatedAt: UPDATED,
      created_at: CREATED,
      updated_at: UPDATED,
      lastEventId: 'ev-9',
      parent_session_id: null,
      pendingApprovals: 0,
      attempt_count: 1,
      max_retries: 0,
      expires_at: null,
      ended_at: null,
      last_heartbeat_at: UPDATED,
      branch_source_event_id: null,
      branch_resume_cursor: null,
      engine: 'scripted',
      runner_kind: 'in_process',
      approval_request_id: null,
      last_error: null,
      health: {
        score: 100,
        flags: [],
        hint: null,
        budget_pressure: healthExample.budget_pressure,
        recovery_action: null,
      },
      usage: { total_tokens: 1_280, cost_usd: 0.004 },
      step: { index: 1, total: 1, title: 'Read the folder', status: 'done' },
      model: null,
      retry_at: null,
      messages: 2,
      archived: false,
    },
  ],
}
