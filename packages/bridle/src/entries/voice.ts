export * from '@bridle/client/voice-index'
