import { CUSTOM_CHARS_MAX } from '@bridle/events/limits'
import { expect, test } from 'vitest'
import { directiveProblem } from './directive.ts'

test.each([
  { action_type: 'noop' },
  { action_type: 'render_ui', payload: { component: 'Chart', data: [1], more: true } },
  { action_type: 'simulate_action', payload: { macro: 'cmd+c', target: 'cell_B2' }, risk_tier: 'dangerous' },
  { action_type: 'render_message', payload: { text: '' }, priority: 'low', execution: 'parallel', deadline_ms: 0 },
  { action_type: 'com.example.plugin.invoke', payload: {}, extensions: {} },
  { action_type: 'example.dashboard' },
])('[N71] a directive: %o', (directive) => expect(directiveProblem(directive)).toBeNull())

test.each([
  [null, 'A directive is an object'],
  [[], 'A directive is an object'],
  [{}, 'action_type:'],
  [{ action_type: '' }, 'action_type:'],
  [{ action_type: 'render_chart' }, 'action_type:'],
  [{ action_type: 'com..example' }, 'action_type:'],
  [{ action_type: 'constructor' }, 'action_type:'],
  [{ action_type: `a.${'b'.repeat(127)}` }, 'action_type:'],
  [{ action_type: 'render_ui' }, 'payload.component:'],
  [{ action_type: 'render_ui', payload: { component: 1 } }, 'payload.component:'],
  [{ action_type: 'simulate_action', payload: { target: 'x' } }, 'payload.macro:'],
  [{ action_type: 'simulate_action', payload: { macro: 'x', target: 1 } }, 'payload.target:'],
  [{ action_type: 'render_message', payload: { text: null } }, 'payload.text:'],
  [
    { action_type: 'request_approval', payload: { message: 'May I?' } },
    'action_type: request_approval comes from the engine alone. To ask a person, call session.approval().',
  ],
  [{ action_type: 'noop', payload: [] }, 'payload:'],
  [{ action_type: 'noop', priority: 'urgent' }, 'priority:'],
  [{ action_type: 'noop', execution: null }, 'execution:'],
  [{ action_type: 'noop', risk_tier: 'none' }, 'risk_tier:'],
  [{ action_type: 'noop', requires_user_approval: 'yes' }, 'requires_user_approval:'],
  [{ action_type: 'noop', deadline_ms: 1.5 }, 'deadline_ms:'],
  [{ action_type: 'noop', extensions: 'x' }, 'extensions:'],
  [{ action_type: 'noop', proirity: 'high' }, 'proirity:'],
  [{ action_type: 'noop', ['x'.repeat(65)]: 1 }, `${'x'.repeat(64)}:`],
  [{ action_type: 'a.b', payload: { text: 'x'.repeat(CUSTOM_CHARS_MAX) } }, 'payload:'],
])('[N71] no directive: %o', (value, field) => expect(directiveProblem(value)).toMatch(new RegExp(`^${field}`)))
