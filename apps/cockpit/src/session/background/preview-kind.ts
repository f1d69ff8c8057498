// How an artifact is shown, by the type that its author named.

export type PreviewKind = 'json' | 'text' | 'image' | 'audio' | 'other'

/** A picture that can hold scripts is shown as its text. */
const PICTURES = /^image\/(png|jpeg|gif|webp|avif|bmp)\b/i

const SOUNDS = /^audio\/(wav|x-wav|wave|mpeg|mp4|aac|ogg|webm|flac)\b/i

export const previewKind = (contentType: string): PreviewKind => {
  if (PICTURES.test(contentType)) return 'image'
  if (SOUNDS.test(contentType)) return 'audio'
  if (/[/+]json\b/i.test(contentType)) return 'json'
  return /^text\/|^image\/svg|[/+](xml|yaml|javascript|x-sh|toml)\b/i.test(contentType) ? 'text' : 'other'
}
