// The digest by which approvals recognise the arguments of a call.
import type { Digest } from '../../kernel/ports/digest.ts'
import { hex, digest as sha256 } from '../../surfaces/http/access/secrets.ts'

export const digest: Digest = async (text) => hex(await sha256(text))
