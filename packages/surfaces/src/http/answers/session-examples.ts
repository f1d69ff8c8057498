// Examples for /openapi.json. A test validates each against its schema.
import type { HarnessMessage } from '@bridle/kernel/projections/harness-state'
import type { HealthSnapshot } from '@bridle/kernel/views/health-snapshot'
import type { ArtifactSummary, SessionCard, SessionChannel, SessionDetail, SessionPage } from '@bridle/wire/http/wire'

const CREATED = '2026-11-16T09:00:00.000Z'
const UPDATED = '2026-11-16T09:00:04.000Z'

export const healthExample: HealthSnapshot = {
  score: 100,
  flags: [],
  reasons: [],
  hint: null,
  risk_flags: [],
  penalties: [],
  budget_pressure: { level: 'none', budgets: [], running_since: null },
  memory_provenance: { retrievals: 0, citations: 0, proposals: 0, latest: [] },
  checkpoints: { count: 0, latest: null },
  artifacts: { count: 0, latest: null },
  audit: [],
  recovery_hint: null,
  policy: {
    health: null,
    enforcement: { action: 'request_approval', status: 'off', crossed: [], raised: {} },
  },
}

const sessionExample = {
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
  model: null,
  retry_at: null,
  archived: false,
} as const

export const sessionCardExample: SessionCard = {
  ...sessionExample,
  agent_profile: 'scripted',
  queued: 0,
  runId: null,
  lastError: null,
  provider: null,
  permission_mode: 'normal',
  approval_mode: 'on_request',
  think_level: null,
  policy_path: 'execution_mode -> approval_policy -> runtime_callbacks',
  sandbox_mode: null,
  sandbox_isolation: null,
  workspace_id: null,
  task_graph_id: null,
  process_id: null,
  resume_context: { kind: 'turn', event_id: 'ev-8', resume_cursor: 'turn:chat-1:8' },
  approvals: [],
  health: healthExample,
}

export const messageExamples: readonly HarnessMessage[] = [
  { id: 'm-2', role: 'user', content: 'What is in this folder?', status: 'complete', runId: 'r-2' },
  { id: 'a-3', role: 'assistant', content: 'Two files.', status: 'complete', runId: 'r-2' },
]

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

export const channelExample: SessionChannel = {
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
}

const step = { index: 1, total: 1, title: 'Read the folder', status: 'done' }

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
  step,
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
  instructions: null,
  memory_proposals: [],
  channel: channelExample,
}

export const sessionPageExample: SessionPage = {
  sessions: [
    {
      ...sessionExample,
      pendingApprovals: 0,
      health: {
        score: 100,
        flags: [],
        hint: null,
        budget_pressure: healthExample.budget_pressure,
        recovery_action: null,
      },
      usage: { total_tokens: 1_280, cost_usd: 0.004 },
      step,
      messages: 2,
      childApprovals: 0,
    },
  ],
}
