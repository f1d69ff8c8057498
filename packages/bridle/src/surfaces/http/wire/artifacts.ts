// Artifacts of a session.

/** An artifact without its content. */
export interface ArtifactSummary {
  /** The artifact's id. */
  readonly id: string
  /** The same as `id`. */
  readonly artifact_id: string
  /** The name. */
  readonly name: string
  /** The kind. */
  readonly kind: string
  /** The same as `kind`. */
  readonly artifact_type: string
  /** The content type. */
  readonly contentType: string
  /** The same as `contentType`. */
  readonly content_type: string
  /** The size in bytes. */
  readonly size: number
  /** The event that published it. */
  readonly event_id: string
  /** The time of publication, in ISO 8601. */
  readonly createdAt: string
  /** The same as `createdAt`. */
  readonly created_at: string
  /** The place of spoken audio in the conversation; absent = the artifact is none. */
  readonly audio?: ArtifactAudio
}

/** Spoken audio that a session keeps: whose it is, and where it belongs. */
export interface ArtifactAudio {
  /** `user`: a prompt as it was said. `assistant`: an answer, as far as it was heard. */
  readonly role: 'user' | 'assistant'
  /** The run. */
  readonly run_id: string
  /** The message that has the words. */
  readonly message_id: string
  /** The length in milliseconds. */
  readonly ms: number
  /** The audio was longer than an artifact may be, and its end is missing. */
  readonly cut?: true
}

/** A page of the artifacts of a session. */
export interface ArtifactPage {
  /** The artifacts of this page, newest first. */
  readonly artifacts: readonly ArtifactSummary[]
  /** Pass it as `before` for the next page. */
  readonly next?: number | string
}
