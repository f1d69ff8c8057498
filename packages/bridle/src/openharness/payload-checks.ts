// Questions, read for a handler.
import { isJsonObject, type JsonObject } from '../kernel/json.ts'
import type { ApprovalOption, RequestApprovalPayload } from './core-payloads.ts'

/** A question as a handler gets it; options without an id or a token of their own cannot be chosen and are left out. */
export const readApproval = (payload: JsonObject): RequestApprovalPayload => {
  const options = (payload.options ?? []) as readonly unknown[]
  const ids = new Set<string>()
  const usable = options.flatMap((option): ApprovalOption[] => {
    if (!isJsonObject(option)) return []
    const { id, label, continuation_token: token } = option
    if (!isText(id) || !isText(token) || ids.has(id)) return []
    ids.add(id)
    return [{ id, label: typeof label === 'string' && label !== '' ? label : id, continuation_token: token }]
  })
  return { ...payload, options: usable } as unknown as RequestApprovalPayload
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
