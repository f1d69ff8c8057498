// Approvals identify call arguments by this digest.
import type { Digest } from '@bridle/kernel/ports/digest'
import { hex, digest as sha256 } from '@bridle/surfaces/http/access/secrets'

export const digest: Digest = async (text) => hex(await sha256(text))
