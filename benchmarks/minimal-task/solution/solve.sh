#!/bin/bash
cp /app/word.txt /app/copy.txt
