// Package config is the only reader of the environment: flags, KB_AGENT_* variables and the file .env become one checked
// [Config]. It may import state, caarlos0/env and joho/godotenv.
//
// The environment is read once and as a whole. One message lists everything that is wrong with it, and names each
// variable that asks for something that this version does not do, so that nothing is ever silently off.
package config
