// The digest by which approvals recognise the arguments of a call.
import type { Digest } from '@bridle/kernel/ports/digest'
import { hex, digest as sha256 } from '@bridle/surfaces/http/access/secrets'

export const digest: Digest = async (text) => hex(await sha256(text))
