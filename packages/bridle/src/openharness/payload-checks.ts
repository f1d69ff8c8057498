// The payloads of core types, checked before a handler gets them as typed data.
import { isJsonObject, type JsonObject } from '../kernel/json.ts'
import type { ApprovalOption, RequestApprovalPayload } from './core-payloads.ts'

export type CoreType = 'render_message' | 'render_ui' | 'simulate_action' | 'request_approval' | 'noop'

export const isCoreType = (type: string): type is CoreType => Object.hasOwn(FIELDS, type)

/** The first field of a core type's payload that is wrong, or null. */
export const wrongPayloadField = (type: CoreType, payload: JsonObject): string | null => {
  for (const [name, kind] of Object.entries(FIELDS[type])) {
    const value = Object.hasOwn(payload, name) ? payload[name] : undefined
    if (value === undefined ? !kind.endsWith('?') : !FITS[kind](value)) return name
  }
  return null
}

/** A question as a handler gets it; options without an id or a token of their own cannot be chosen and are left out. */
export const readApproval = (payload: JsonObject): RequestApprovalPayload => {
  const options = (payload.options ?? []) as readonly unknown[]
  const ids = new Set<string>()
  const usable = options.flatMap((option): ApprovalOption[] => {
    if (!isJsonObject(option)) return []
    const { id, label, continuation_token: token } = option
    if (typeof id !== 'string' || id === '' || typeof token !== 'string' || token.length === 0 || ids.has(id)) return []
    ids.add(id)
    return [{ id, label: typeof label === 'string' && label !== '' ? label : id, continuation_token: token }]
  })
  return { ...payload, options: usable } as unknown as RequestApprovalPayload
}

type FieldKind = 'text' | 'text?' | 'text or null?' | 'list?' | 'any?'
const FITS: Record<FieldKind, (value: unknown) => boolean> = {
  text: (value) => typeof value === 'string',
  'text?': (value) => typeof value === 'string',
  'text or null?': (value) => value === null || typeof value === 'string',
  'list?': Array.isArray,
  'any?': () => true,
}

const FIELDS: Readonly<Record<CoreType, Readonly<Record<string, FieldKind>>>> = {
  render_message: { text: 'text' },
  render_ui: { component: 'text', data: 'any?' },
  simulate_action: { macro: 'text', target: 'text?' },
  request_approval: {
    message: 'text',
    tool: 'text?',
    arguments: 'any?',
    risk: 'text?',
    expires_at: 'text or null?',
    run_id: 'text?',
    continuation_token: 'text?',
    options: 'list?',
  },
  noop: {},
}
