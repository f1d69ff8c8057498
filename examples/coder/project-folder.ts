// The folder that the agent works in: CODER_PROJECT, or the small project of this example.
import { fileURLToPath } from 'node:url'

export const project = process.env.CODER_PROJECT || fileURLToPath(new URL('./project', import.meta.url))
