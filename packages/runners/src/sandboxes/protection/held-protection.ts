// The protection of a folder in which an agent works in place, for as long as one sandbox runs.
import { holdPlaceholders } from './placeholders.ts'
import { isLoadedFrom, type ProtectedPlaces, protectedPlaces } from './protected-places.ts'
import { registeredProjects, type ServerProject } from './server-projects.ts'

export interface HeldProtection {
  readonly places: ProtectedPlaces
  /** Call it when the sandbox has ended. */
  readonly release: () => void
}

/** Computed for each start, since files come and go. Throws a sentence where something cannot be protected. */
export const holdProtection = (
  work: string,
  { projects, leases }: { readonly projects: readonly ServerProject[]; readonly leases: string },
): HeldProtection => {
  const places = protectedPlaces(work, projects)
  if (places.problem !== null) throw new Error(inPlaceRefusal(places.problem))
  return { places, release: holdPlaceholders(leases, places.absent) }
}

/** Why no agent may work in place here, as a sentence to act on; null = one may. `missing`: why there is no sandbox. */
export const protectionProblem = (
  work: string,
  missing: string | null,
  projects: readonly ServerProject[] = registeredProjects(),
): string | null => {
  const places = protectedPlaces(work, projects)
  if (places.problem !== null) return inPlaceRefusal(places.problem)
  if (missing === null || !isLoadedFrom(places)) return null
  return inPlaceRefusal(
    `Bridle loads code or settings from this folder, and nothing keeps an agent from changing them: ${missing}.`,
  )
}

const inPlaceRefusal = (reason: string): string => `${reason} Use the mode write, or name another folder.`
